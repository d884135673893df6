"""Pipelines that make the papers' training data: blink, comprehension, grounding, navigation."""
