"""Training data from worlds: episodes played by a player and labelled by the world's teacher at every step."""
