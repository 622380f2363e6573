#!/usr/bin/env python3
"""Checks the page of a running dashboard in headless Chromium, in one session, and takes screenshots of it.

The first URL gets all checks; its traffic must include failures, a token and shared exchanges. Others, such as an
idle one or one with 200 operations, are checked for their layout. The screenshots show each in light and dark.
"""

import argparse
import pathlib
import sys
import time
import urllib.parse
import urllib.request

import checks
from browser import Browser
from checks import check

WIDTHS = (400, 768, 1600)
PAGE_LIMIT = 60 * 1024


def served(url):
    """The page as it is served: its size and its header fields."""
    with urllib.request.urlopen(url, timeout=10) as response:
        body, fields = response.read(), response.headers
    check(len(body) <= PAGE_LIMIT, f"the page has {len(body)} bytes, more than {PAGE_LIMIT}")
    policy = fields.get("Content-Security-Policy", "")
    check("default-src 'none'" in policy and "unsafe" not in policy, f"content security policy: {policy}")
    for name, value in (("Referrer-Policy", "no-referrer"), ("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff")):
        check(fields.get(name) == value, f"{name}: {fields.get(name)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("urls", nargs="+", metavar="[NAME=]URL", help="the link that the dashboard has printed")
    parser.add_argument("--axe", required=True, metavar="FILE", help="axe.min.js")
    parser.add_argument("--out", required=True, metavar="FOLDER", help="where screenshots are written")
    parser.add_argument("--patience", type=float, default=20, metavar="S", help="how long to wait for events of the traffic (20)")
    parser.add_argument("--watch", type=float, default=5, metavar="S", help="how long the cost of frames is measured (5)")
    parser.add_argument("--frame-ms", type=float, default=1000, metavar="MS", help="the most that a frame may cost at p95 (1000)")
    parser.add_argument("--soak", type=float, default=0, metavar="MIN", help="only leave the page open for so long (22): it must not grow")
    options = parser.parse_args()
    pages = [(name or "page", url) for name, _, url in (u.rpartition("=") if "=" in u.split("//")[0] else ("", "", u) for u in options.urls)]
    folder = pathlib.Path(options.out)
    folder.mkdir(parents=True, exist_ok=True)
    began, failures, passed = time.monotonic(), [], 0
    # The log of requests has the contents of the stream: it would grow in a soak.
    browser = Browser(pathlib.Path(options.axe).read_text(encoding="utf-8"), folder, logs_requests=not options.soak)

    def attempt(name, action):
        nonlocal passed
        start = time.monotonic()
        try:
            action()
            passed += 1
            print(f"ok    {name} ({time.monotonic() - start:.1f} s)", flush=True)
        except Exception as error:  # A failed check must not hide those after it.
            failures.append(name)
            print(f"FAIL  {name}: {type(error).__name__}: {str(error)[:1500]}", flush=True)

    try:
        main_name, url = pages[0]
        attempt("served", lambda: served(url))
        browser.emulate(1600, "light")
        browser.open(url)
        browser.frames(1)
        for name, action in () if options.soak else (
            ("live region", lambda: checks.live_region(browser)), ("charts", lambda: checks.drawn(browser)), ("redraw keeps place", lambda: checks.redraw_keeps_place(browser)),
            ("reduced motion", lambda: checks.reduced_motion(browser, 1600)), ("questions", lambda: checks.questions(browser, options.patience)),
            ("keyboard", lambda: checks.keyboard(browser)), ("time", lambda: checks.time_travel(browser)),
            ("tables", lambda: checks.tables(browser)), ("lost stream", lambda: checks.lost_stream(browser)),
        ):
            browser.emulate(1600, "light")
            checks.reset(browser)
            attempt(name, action)
        browser.emulate(1600, "light")
        checks.reset(browser)
        if options.soak:
            attempt("soak", lambda: checks.soak(browser, options.soak, options.frame_ms))
        else:
            attempt("bounded", lambda: checks.bounded(browser, options.watch, options.frame_ms))
        for name, url in () if options.soak else pages:
            if name != main_name:
                browser.read_logs()
                browser.open(url)
                browser.frames(1)
            for width in WIDTHS:
                for scheme in ("light", "dark"):
                    browser.emulate(width, scheme)
                    browser.run("scrollTo(0,0);draw()")
                    attempt(f"{name} {scheme} {width} px", lambda: checks.layout(browser))
                    browser.shoot(f"{name}-{scheme}-{width}", width)
            # A window of 1,280 or 800 px at 200 %.
            for width in (640, 400):
                browser.emulate(width, "light", height=500, scale=2)
                attempt(f"{name} {2 * width} px at 200 %", lambda: checks.layout(browser))
            if name == main_name:
                for width, scheme in ((400, "light"), (1600, "dark")):
                    browser.emulate(width, scheme)
                    browser.run("showKind(1);draw();document.querySelector('#calls tbody .go')?.click()")
                    attempt(f"{name} with a call, {scheme} {width} px", lambda: checks.layout(browser))
                    browser.shoot(f"{name}-call-{scheme}-{width}", width, whole=False)
                    browser.run("openCall(null);showKind(0)")
        browser.read_logs()
        hosts = {urllib.parse.urlsplit(u).netloc for u in browser.requests if not u.startswith("data:")}
        own = {urllib.parse.urlsplit(u).netloc for _, u in pages}
        attempt("no request to another host", lambda: check(hosts <= own, f"requests to {sorted(hosts - own)}"))
        attempt("no message in the console", lambda: check(not browser.messages, f"{browser.messages[:3]}"))
    finally:
        browser.close()
    print(f"page: {time.monotonic() - began:.0f} s")
    print(f"{passed} passed, {len(failures)} failed")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
