"""An HTML page that plays frames. It is one file, loads nothing, and may run only its own script."""

import base64
import hashlib
import html
import re
from collections.abc import Sequence
from pathlib import Path
from string import Template

LAYOUT = Path(__file__).with_name("player.html").read_text(encoding="utf-8")


def page(title: str, ending: str, pictures: Sequence[bytes], words: Sequence[Sequence[str]], milliseconds: int) -> str:
    """The page as HTML. In a browser without scripts it shows the last picture and the words of all frames.

    Parameters
    ----------
    title, ending : the estimator, and why training ended
    pictures : the frames as PNG
    words : the text of each frame: the step, the row, the score, the weights
    milliseconds : how long each frame is shown
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
    """The content security policy: only pictures, the style and the script inside the page are allowed."""
    allowed = ["default-src 'none'", "img-src data:"]
    for tag, name in (("style", "style-src"), ("script", "script-src")):
        (content,) = re.findall(f"<{tag}>(.*?)</{tag}>", layout, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        allowed.append(f"{name} 'sha256-{digest}'")
    return "; ".join(allowed)


def _frame(picture: bytes, lines: Sequence[str], hidden: bool) -> str:
    source = base64.b64encode(picture).decode()
    said = html.escape(". ".join(line for line in lines if line))
    return f'<img src="data:image/png;base64,{source}" alt="{said}"{" hidden" * hidden}>'
