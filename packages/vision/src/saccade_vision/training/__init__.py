"""Training of what ships in weights/. Torch is imported only here."""
