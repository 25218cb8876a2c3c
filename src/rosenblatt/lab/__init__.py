"""The lab: a web page that shows every step of an algorithm on points of your own. Door: `web.server.serve`."""
