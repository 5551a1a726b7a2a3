"""What is wrong with a bot, said at home in plain words, before a lost match says it."""
