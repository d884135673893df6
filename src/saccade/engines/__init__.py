"""How many jobs are worked through: local processes here; other engines plug in."""
