"""`python -m saccade`."""

from saccade.cli import main

main()
