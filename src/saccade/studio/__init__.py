"""The studio: a local web application to watch runs, take over, review, annotate and browse (docs/STUDIO.md)."""
