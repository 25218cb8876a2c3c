"""What the two readers of text tables share, the checker's and that of the data: the header line and the labels."""
