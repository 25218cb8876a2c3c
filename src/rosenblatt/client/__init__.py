"""Clients of `rosenblatt serve`, with retries that learn nothing twice.

Doors: `client.Client` and `async_client.AsyncClient`.
"""
