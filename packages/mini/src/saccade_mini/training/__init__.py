"""Training of the mini: its decoder, its task reader, its habits and its reward model (extra `train`)."""
