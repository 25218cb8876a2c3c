"""Runs the command `rosenblatt` as `python -m rosenblatt.cli`."""

from rosenblatt.cli.main import main

main()
