"""Episodes on the phone as step records."""
