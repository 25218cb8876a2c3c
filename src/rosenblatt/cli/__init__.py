"""The command `rosenblatt`, with one file for each subcommand. The entry point is `main.main`."""
