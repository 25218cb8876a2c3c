"""Run `python -m benchmarks.cluster COMMAND`; each command's options and sizes are in the head of its file."""

import argparse
from pathlib import Path
from typing import Any

from benchmarks.cluster import check, memory, overhead, peers, simulate, speedup
from benchmarks.cluster.report import Report


def add_options(parser: argparse.ArgumentParser, **defaults: Any) -> None:
    """Add an option for each default, with its type. A tuple takes several numbers."""
    for name, default in defaults.items():
        option = f"--{name.replace('_', '-')}"
        if isinstance(default, bool):
            parser.add_argument(option, action="store_true")
        elif isinstance(default, tuple):
            parser.add_argument(option, type=type(default[0]), default=default, nargs="+")
        else:
            parser.add_argument(option, type=type(default), default=default)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cluster", description="Measure rosenblatt.cluster.")
    commands = parser.add_subparsers(dest="command", required=True)
    runs: dict[str, Any] = {}

    def command(module: Any, **defaults: Any) -> None:
        name = module.__name__.rpartition(".")[2]
        own = commands.add_parser(
            name,
            help=module.__doc__.splitlines()[0],
            description=module.__doc__,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        add_options(own, **defaults)
        runs[name] = module.run

    command(speedup, rows=4_000_000, columns=50, shards=8, seconds=30.0, rounds=5)
    command(overhead, shards=(2, 16, 128, 1024), rounds=20)
    command(peers, rows=1_000_000, columns=50, noise=0.05, rounds=5, folder=Path("build/peers"), packages=("",))
    command(memory, limit_mb=800, workers=(1, 2), files_each=128, passes=3, folder=Path("build"))
    sizes = {"rows": 50_000_000, "columns": 20, "files": 64}
    command(check, **sizes, workers=2, limit_gb=9.0, folder=Path("build/check"), keep=False)
    passes = {"pass_shards": (1, 4, 16, 64, 256), "pass_rows": 20_000}
    command(simulate, shards=(64, 256, 1024), workers=(16, 64), rows=100_000, **passes)
    options = vars(parser.parse_args())
    name = options.pop("command")
    runs[name](Report(name, options), **options)


if __name__ == "__main__":
    main()
