"""Where the project's own files are, for tests that read them."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "rosenblatt"
COMPILED = sorted([*(PACKAGE / "rules").glob("*.py"), *(PACKAGE / "data" / "compiled").glob("*.py")])
