"""Run benchmarks: `make bench`, or `make bench ARGS="dense --rounds 21"`."""

import argparse
from pathlib import Path

from rich.console import Console

from benchmarks.benchmark import run_all
from benchmarks.objectives import OBJECTIVES


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description="Measure rosenblatt and other libraries in one run."
    )
    parser.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help=f"one or more of {', '.join(OBJECTIVES)} (default: all of these); or auto",
    )
    parser.add_argument("--rounds", type=int, help="rounds of measurement (default: the number set for each benchmark)")
    parser.add_argument("--out", type=Path, default=Path("build/bench.json"), help="JSON file for the measurements")
    options = parser.parse_args()
    console = Console(width=180 if options.names[:1] == ["auto"] else 120, highlight=False)
    if options.names[:1] == ["auto"]:
        from benchmarks.auto.run import run  # it imports much

        run(options.rounds or 5, options.out.with_name("auto.json"), console, options.names[1:])
        return
    unknown = set(options.names) - set(OBJECTIVES)
    if unknown:
        parser.error(f"unknown benchmark {sorted(unknown)[0]!r}; choose from: {', '.join(OBJECTIVES)}")
    chosen = [OBJECTIVES[name] for name in options.names or OBJECTIVES]
    run_all(chosen, options.rounds, options.out, console)


if __name__ == "__main__":
    main()
