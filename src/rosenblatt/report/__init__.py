"""Reports on a fit or a verdict: as numbers (`report`), text, charts and an HTML page, with advice."""
