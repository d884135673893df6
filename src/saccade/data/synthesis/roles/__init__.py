"""Who is asked what while data is made: roles, and the ways in which they are answered."""
