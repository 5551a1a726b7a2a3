"""The ranks: the levels of the bot registry play each other, and are rated from the results."""
