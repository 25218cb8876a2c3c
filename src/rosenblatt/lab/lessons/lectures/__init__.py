"""The five lessons, one for each lecture. A long lesson has its last steps in a second file."""
