"""The lab: a web page on which every step of an algorithm can be watched. Door: `web.server.serve`."""
