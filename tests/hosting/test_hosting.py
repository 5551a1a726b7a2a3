"""What `hosting` does around a server."""

import gc

from palestra_server.cli.hosting import what_is_loaded_is_no_garbage


def test_the_collector_leaves_what_was_loaded_alone_until_the_server_ends():
    with what_is_loaded_is_no_garbage():
        kept = gc.get_freeze_count()
        assert kept > 1000
        later = [[]]
        assert any(each is later for each in gc.get_objects())
        assert gc.get_freeze_count() <= kept
    assert gc.get_freeze_count() == 0
