"""What is kept of runs, shown in tables and compared."""
