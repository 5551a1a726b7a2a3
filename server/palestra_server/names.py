"""Names people can tell apart: one shape a name, after Unicode Technical Standard 39."""
