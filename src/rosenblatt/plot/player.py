"""A page that plays frames: one file, which loads nothing and may run only its own script."""

import base64
import hashlib
import html
import re
from collections.abc import Sequence
from pathlib import Path
from string import Template

LAYOUT = Path(__file__).with_name("player.html").read_text(encoding="utf-8")


def page(title: str, ending: str, pictures: Sequence[bytes], words: Sequence[Sequence[str]], milliseconds: int) -> str:
    """The page as HTML. Without a script it shows the last picture and the words of all.

    Parameters
    ----------
    title, ending : what was run, and how it ended
    pictures : of the frames, as PNG
    words : of the frames: the step, the row, the score, the weights
    milliseconds : how long each is shown
    """
    last = len(pictures) - 1
    frames = [_frame(picture, lines, i < last) for i, (picture, lines) in enumerate(zip(pictures, words, strict=True))]
    rows = ["<tr>" + "".join(f"<td>{html.escape(line)}</td>" for line in lines) + "</tr>" for lines in words]
    return Template(LAYOUT).substitute(
        policy=policy(LAYOUT),
        title=html.escape(title),
        ending=html.escape(ending),
        milliseconds=milliseconds,
        frames="\n".join(frames),
        last=last,
        rows="\n".join(rows),
    )


def policy(layout: str) -> str:
    """What a browser may do with the page: show pictures that are in it, use the style and run the script that are."""
    allowed = ["default-src 'none'", "img-src data:"]
    for tag, name in (("style", "style-src"), ("script", "script-src")):
        found = re.search(f"<{tag}>(.*?)</{tag}>", layout, re.DOTALL)
        assert found  # noqa: S101
        digest = base64.b64encode(hashlib.sha256(found[1].encode()).digest()).decode()
        allowed.append(f"{name} 'sha256-{digest}'")
    return "; ".join(allowed)


def _frame(picture: bytes, lines: Sequence[str], hidden: bool) -> str:
    source = base64.b64encode(picture).decode()
    said = html.escape(". ".join(line for line in lines if line))
    return f'<img src="data:image/png;base64,{source}" alt="{said}"{" hidden" * hidden}>'
