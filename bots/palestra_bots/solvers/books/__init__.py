"""The opening books that come with the package, as `palestra-bots book` makes them."""
