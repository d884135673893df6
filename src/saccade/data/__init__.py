"""Data: readers of public files into step records."""
