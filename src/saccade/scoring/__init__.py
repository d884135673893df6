"""What a step is worth: match profiles, rewards, metrics."""
