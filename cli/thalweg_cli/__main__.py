"""Run by the launcher as `python -m thalweg_cli`."""

from thalweg_cli.app import main

main()
