"""What `hosting` does around a server."""

import gc

from palestra_server.cli.hosting import garbage_collector_frozen


def test_the_collector_leaves_what_was_loaded_alone_until_the_server_ends():
    with garbage_collector_frozen():
        kept = gc.get_freeze_count()
        assert kept > 1000
        later = [[]]
        assert any(each is later for each in gc.get_objects())
        assert gc.get_freeze_count() <= kept
    assert gc.get_freeze_count() == 0
