"""A streaming fit that is killed again and again: `python -m benchmarks.kills [KILLS]`.

A model is fitted undisturbed; then the same command is killed at random moments and started again, until it has been
killed so many times. Each time it comes to its end, the model must be the same, byte for byte, and it begins anew.
"""

import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.files import sparse_lines

ROWS, PASSES = 60_000, 4


def command(data: Path, model: Path, *, cache: bool) -> list[str]:
    options = ["--passes", str(PASSES), "--algorithm", "averaged", "--chunk-bytes", "1000000", "--out", str(model)]
    keep = ["--checkpoint", f"{model}.checkpoint", "--every", "0.05", "--resume", *["--cache"] * cache]
    return [sys.executable, "-m", "rosenblatt.cli", "fit", str(data), "--stream", *options, *keep]


def main(kills: int) -> None:
    rng, chance = np.random.default_rng(0), random.Random(0)  # noqa: S311
    with tempfile.TemporaryDirectory() as folder:
        data, model = Path(folder) / "rows.svm", Path(folder) / "model"
        data.write_text(sparse_lines(rng, ROWS, rng.standard_normal(5000), 40, ""))
        began = time.monotonic()
        subprocess.run(command(data, model, cache=False), check=True, capture_output=True)  # noqa: S603
        length, expected = time.monotonic() - began, model.read_bytes()
        model.unlink()
        done = runs = same = 0
        while done < kills:
            process = subprocess.Popen(  # noqa: S603
                command(data, model, cache=runs % 2 == 1), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
            try:
                process.wait(chance.uniform(0.3, 1.2) * length)
                runs += 1
                same += process.returncode == 0 and model.read_bytes() == expected
                model.unlink(missing_ok=True)
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                process.wait()
                done += 1
        subprocess.run(command(data, model, cache=runs % 2 == 1), check=True, capture_output=True)  # noqa: S603
        runs, same = runs + 1, same + (model.read_bytes() == expected)
        print(f"{done} kills, {runs} runs came to their end, {same} of them with the bytes of the undisturbed model")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100)
