"""`python -m rosenblatt.cli` is the command `rosenblatt`."""

from rosenblatt.cli.main import main

main()
