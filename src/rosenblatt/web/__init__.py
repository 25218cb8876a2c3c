"""What the HTTP servers of this package share: who may ask, bodies with limits, replies, and a server that ends soon.

Doors: all files.
"""
