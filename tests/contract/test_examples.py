"""What `make run` runs, as a new user sees it."""

import re
import subprocess
import sys
from pathlib import Path

from tests.support.places import ROOT


def run(name: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """An example, in this folder; it has nothing to complain about."""
    command = [sys.executable, "-W", "error", str(ROOT / "examples" / name)]
    done = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
    assert done.stderr == ""
    return done


def test_iris_prints_its_findings_and_writes_its_picture(tmp_path: Path) -> None:
    done = run("iris.py", tmp_path)
    setosa, pair = re.split("Versicolor against virginica", done.stdout)
    assert setosa.startswith("Setosa against the other two species: a hyperplane separates them. Proved.\n")
    assert ", 0 of 150 rows wrong" in setosa
    made, allowed = re.findall(r"(\d+) updates in .*bound on its updates: ([\d,]+)", setosa)[0]
    assert int(made) <= int(allowed.replace(",", ""))
    assert pair.startswith(": no hyperplane separates them. Proved.\n")
    assert re.search(r"best possible +1 of 100 rows wrong", pair)
    assert setosa.count("verified") == pair.count("verified") == 1
    picture = tmp_path / re.findall(r"picture: (.+)", done.stdout)[0]
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_regions_names_the_places_without_a_single_answer_and_writes_its_picture(tmp_path: Path) -> None:
    done = run("regions.py", tmp_path)
    largest, voronoi, against_all, against_one = re.split(r"\n│ \d", done.stdout)[1:]
    assert "none" in largest
    assert "none" in voronoi
    assert "both claim it" in against_all
    assert "no class claims it" in against_all
    assert "votes tie between" in against_one
    assert (tmp_path / re.findall(r"picture: (.+)", done.stdout)[0]).read_bytes().startswith(b"\x89PNG")


def test_gaussians_prints_proved_errors_and_writes_its_picture(tmp_path: Path) -> None:
    done = run("gaussians.py", tmp_path)
    bounds = re.findall(r"([\d.]+)% +│ ([\d.]+)% \(checked\) +│ at most ([\d.]+)%", done.stdout)
    assert len(bounds) == 4
    for reached, proved, anyhow in bounds:
        assert float(proved) <= float(reached) < float(anyhow)
    assert (tmp_path / re.findall(r"picture: (.+)", done.stdout)[0]).read_bytes().startswith(b"\x89PNG")


def test_the_commands_of_the_readme_are_targets_of_the_makefile() -> None:
    targets = re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE)
    commands = re.findall(r"(?:`|\$ )make (\w+)", (ROOT / "README.md").read_text())
    assert {"run", "test", "bench"} <= set(commands) <= set(targets)
