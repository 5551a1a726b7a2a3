"""The map of results: each version stays as it was, whichever of them grows, and whatever became of the others."""

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palestra_tournament import GrowingMap


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 3)), max_size=30))
def test_every_version_is_the_dict_that_it_would_be(grown):
    versions = [(GrowingMap(), {})]
    for number, (which, count) in enumerate(grown):
        map_, plain = versions[which % len(versions)]
        new = {f"{number}.{each}": (number, each) for each in range(count)}
        versions.append((map_.plus(new.items()), {**plain, **new}))
    keys = [key for _, plain in versions for key in plain]
    for map_, plain in versions:
        assert map_ == plain
        assert len(map_) == len(plain)
        assert list(map_) == list(plain)
        assert list(map_.items()) == list(plain.items())
        assert list(map_.values()) == list(plain.values())
        assert list(reversed(map_.values())) == list(reversed(plain.values()))
        assert [key in map_ for key in keys] == [key in plain for key in keys]
        assert [map_.get(key) for key in keys] == [plain.get(key) for key in keys]
        assert [map_.place(key) for key in plain] == list(range(len(plain)))
        assert map_.fold(list, list.append) == list(plain.values())
        assert pickle.loads(pickle.dumps(map_)) == plain


def test_what_a_later_version_has_an_earlier_one_has_not():
    before = GrowingMap([("a", 1)])
    assert dict(before.plus([("b", 2)])) == {"a": 1, "b": 2}
    for ask in (before.place, before.__getitem__):
        with pytest.raises(KeyError):
            ask("b")
    assert 7 not in before
    assert repr(before) == "GrowingMap({'a': 1})"
