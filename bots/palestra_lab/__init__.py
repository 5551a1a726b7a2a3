"""`palestra-lab`: experiments with the searches of the reference bots, and the study of the 8 x 8 report."""
