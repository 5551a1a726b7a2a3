"""Thousands of broken, odd and good frames from a seed: nothing but typed rejections. `benchmarks.fuzz`: millions."""

import pytest
from tests.support.fuzzing import fuzz_referee, fuzz_stream


@pytest.mark.parametrize("seed", range(3))
def test_codec_and_referee_only_reject_by_code_and_sentence(seed):
    seen = fuzz_referee(seed, 1000)
    assert seen["accepted"] > 100
    assert {"bad_message", "illegal_action", "stale_ply", "not_in_match", "not for the match"} < set(seen)


@pytest.mark.parametrize("seed", range(3))
def test_a_stream_in_random_cuts_is_read_as_the_library_reads_it_whole(seed):
    seen = fuzz_stream(seed, 600)
    assert seen["messages"] > 100
    assert {"left open", "closed by 1002", "closed by 1009"} < set(seen)
