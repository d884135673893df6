"""The index of runs and measurements: found in the folders, read as they grow, kept in the database."""
