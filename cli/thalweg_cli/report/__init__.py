"""`./thalweg report`: results as pages, pictures and tables."""
