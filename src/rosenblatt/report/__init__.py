"""What a fit reached and what a verdict means, as numbers, text, charts and an HTML page."""
