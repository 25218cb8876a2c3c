"""What a fit reached and what a verdict means: as numbers, text, charts and an HTML page.

Doors: `report.Report`, `text`, `page`, `charts`, `advice` (what to do about a verdict), `proportion`.
"""
