"""Who judges what."""

from __future__ import annotations

from palestra_server.runtime.judging import LEASE_S, LOANS_MAX, Leases


def test_a_match_that_no_judge_answers_for_is_not_offered_for_ever():
    now = 0.0
    leases = Leases(lambda: now)
    for _ in range(LOANS_MAX):
        assert leases.withheld() == []
        leases.lend("m")
        assert leases.withheld() == ["m"]
        now += LEASE_S
    assert leases.withheld() == ["m"]
    leases.answered("m")
    assert leases.withheld() == []
