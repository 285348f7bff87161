"""`./thalweg exec`: experiments of many runs."""
