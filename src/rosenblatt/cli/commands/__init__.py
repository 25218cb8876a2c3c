"""The subcommands of `rosenblatt`, one file each. They do not import each other."""
