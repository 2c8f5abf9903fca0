"""``python -m s2sad``, the command."""

from s2sad.cli import main

main()
