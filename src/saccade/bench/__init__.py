"""Measuring agents: suites of recorded samples and of live tasks, one runner for both, and tables that name their data,
count, rule and interval.
"""
