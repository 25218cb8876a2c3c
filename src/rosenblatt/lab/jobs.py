"""The functions that answer the page, by the name of the request. Worker processes import this module."""

from rosenblatt.lab.routes import ROUTES

JOBS = {name: route.load() for name, route in ROUTES.items()}
