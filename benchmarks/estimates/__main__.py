"""Run `python -m benchmarks.estimates accuracy`, `time`, `classical` or `published`."""

import argparse
from pathlib import Path

from rich.console import Console

from benchmarks.estimates import accuracy, classical, published, timing


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.estimates",
        description="Which estimates are infinite: rosenblatt and other programs.",
    )
    commands = parser.add_subparsers(dest="command", required=True)
    counting = commands.add_parser("accuracy", help="count right and wrong answers on random tables")
    counting.add_argument("--tables", type=int, default=1000, help="number of tables (default: 1000)")
    measuring = commands.add_parser("time", help="measure the time of an answer")
    measuring.add_argument("data", nargs="*", metavar="DATA", help=f"a part of a name of: {'; '.join(timing.DATA)}")
    measuring.add_argument("--rounds", type=int, default=5, help="rounds of measurement (default: 5)")
    measuring.add_argument("--limit", type=float, default=60.0, help="seconds for one answer (default: 60)")
    commands.add_parser("classical", help="print what statsmodels and firthmodels answer for small published tables")
    reading = commands.add_parser("published", help="print our answers beside the published ones")
    reading.add_argument("--data", type=Path, required=True, help="the folder with lizards.csv, alligators.csv, ...")
    options = parser.parse_args()
    console = Console(width=120, highlight=False)
    if options.command == "accuracy":
        accuracy.run(options.tables, console)
    elif options.command == "time":
        timing.run(options.data, options.rounds, options.limit, console)
    elif options.command == "classical":
        classical.run(console)
    else:
        published.run(options.data, console)


if __name__ == "__main__":
    main()
