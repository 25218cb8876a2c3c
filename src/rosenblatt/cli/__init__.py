"""The command `rosenblatt`: one file for each subcommand. Door: `main.main`."""
