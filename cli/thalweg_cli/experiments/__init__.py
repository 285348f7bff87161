"""`./thalweg experiment`: the experiments of the literature on streams that adapt themselves."""
