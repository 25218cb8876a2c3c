"""The lab's server, its worker processes, and the form of their replies."""
