"""Data sets in the browser: what the readers know, sample by sample, with filters, problems and queries."""
