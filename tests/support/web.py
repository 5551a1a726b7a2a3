"""The web port, called in process: the teacher's key there, and what a refusal looks like."""

KEY = "the-key-of-the-teacher"


def fault(answer, status, code):
    body = answer.json()
    assert (answer.status_code, body["error"]) == (status, code), body
    assert body["message"].endswith((".", ")."))
    return body
