"""The histogram that is counted by hand says what the library's own would say."""

from hypothesis import given
from hypothesis import strategies as st
from prometheus_client import Histogram

from palestra_server.runtime.metrics import Turnaround

seconds = st.one_of(st.sampled_from(Turnaround.BOUNDS), st.floats(0, 2))


@given(st.lists(seconds, max_size=50))
def test_the_turnaround_is_counted_as_the_library_counts(observed):
    ours, theirs = Turnaround(), Histogram("palestra_turnaround_seconds", "-", buckets=Turnaround.BOUNDS, registry=None)
    for each in observed:
        ours.observe(each)
        theirs.observe(each)
    (family,) = theirs.collect()
    expected = {(s.name, s.labels.get("le")): s.value for s in family.samples if not s.name.endswith("_created")}
    assert {(s.name, s.labels.get("le")): s.value for s in ours.family().samples} == expected
