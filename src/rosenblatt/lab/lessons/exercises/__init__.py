"""The six exercises, one file each, and the random points that they share."""
