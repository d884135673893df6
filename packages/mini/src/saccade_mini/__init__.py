"""The mini: a small language model that ships with the package and reads element lists instead of pictures."""
