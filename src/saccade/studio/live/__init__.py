"""Runs that are started from the page: each in a process of its own, which takes commands and tells what it does."""
