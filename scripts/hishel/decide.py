"""Decides about exchanges as hishel does: what a private cache does with the second of two requests.

usage: decide.py CASES DECISIONS

Each line of CASES is a JSON object with the time and the header fields of both exchanges; each line of DECISIONS is
"hit", "validated" or "sent".
"""

import json
import sys
import uuid

from hishel import CacheOptions, Entry, Headers, Request, Response
from hishel._core import _spec


class Clock:
    now = 0.0

    def time(self):
        return self.now


clock = Clock()
_spec.time = clock
options = CacheOptions(shared=False, supported_methods=["GET", "HEAD"], allow_stale=False)


def headers(pairs):
    lists = {}
    for name, value in pairs:
        lists.setdefault(name.lower(), []).append(value)
    return Headers(lists)


def decide(case):
    clock.now = float(case["now"])
    url = "http://origin.example/x"
    first = Request("GET", url, headers(case["first"]))
    response = Response(case["status"], headers(case["reply"]))
    stored = _spec.CacheMiss(request=first, options=options).next(response)
    entries = []
    if isinstance(stored, _spec.StoreAndUse):
        entries = [Entry(uuid.uuid4(), first, stored.response)]
    clock.now += case["wait"]
    second = Request("GET", url, headers(case["second"]))
    answer = _spec.IdleClient(options=options).next(second, entries)
    if isinstance(answer, _spec.FromCache):
        return "hit"
    if isinstance(answer, _spec.NeedRevalidation):
        conditions = {"if-none-match", "if-modified-since"}
        return "validated" if any(name in answer.request.headers for name in conditions) else "sent"
    return "sent"


with open(sys.argv[1]) as cases, open(sys.argv[2], "w") as decisions:
    for line in cases:
        try:
            decision = decide(json.loads(line))
        except Exception as error:  # What hishel cannot decide is its answer, too.
            decision = f"error {type(error).__name__}"
        decisions.write(decision + "\n")
