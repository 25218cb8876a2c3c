"""Searches for hyperplanes and for rows that combine to 0; what they find is then checked exactly."""
