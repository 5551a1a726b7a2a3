"""The terminal viewer: the spectator connection, its model, and drawing."""
