"""The formats that come with Palestra, one module each, and what they share: meetings, and pairs of a large round."""
