#!/usr/bin/env python3
"""Checks the page of a running dashboard in headless Chromium, in one session, and takes screenshots of it.

Without a URL the demo of Samples is started three times: with traffic and faults, with 200 operations, and without calls.
The first page gets all checks; its traffic must include failures, a token and shared exchanges. Others are checked for
their layout. The screenshots show each in light and dark.
"""

import argparse
import contextlib
import pathlib
import signal
import sys
import time
import urllib.request

import checks
import pictures
from browser import Browser
from checks import check
from demo import Demo

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


class Run:
    """The checks of one session, and which of them failed."""

    def __init__(self, browser, options):
        self.browser, self.options = browser, options
        self.failures, self.passed = [], 0

    def attempt(self, name, action):
        start = time.monotonic()
        try:
            action()
            self.passed += 1
            print(f"ok    {name} ({time.monotonic() - start:.1f} s)", flush=True)
        except Exception as error:  # A failed check must not hide those after it.
            self.failures.append(name)
            print(f"FAIL  {name}: {type(error).__name__}: {str(error)[:1500]}", flush=True)

    def use(self, url):
        """The page as a person uses it."""
        browser, options = self.browser, self.options
        self.attempt("served", lambda: served(url))
        browser.emulate(1600, "light")
        # First, because the trace is short then.
        if options.watch:
            self.attempt("frame cost", lambda: checks.frame_cost(browser, url, options.watch, options.frame_ms))
        browser.open(url)
        browser.frames(1)
        for name, action in (
            ("live region", checks.live_region), ("charts", checks.drawn), ("redraw keeps place", checks.redraw_keeps_place),
            ("problems keep place", checks.problems_keep_place),
            ("reduced motion", lambda b: checks.reduced_motion(b, 1600)),
            ("questions", lambda b: checks.questions(b, options.patience)), ("keyboard", checks.keyboard),
            ("time", checks.time_travel), ("tables", checks.tables), ("lost stream", checks.lost_stream),
        ):
            browser.emulate(1600, "light")
            checks.reset(browser)
            self.attempt(name, lambda: action(browser))
        for name, action in (("late calls", checks.late_calls), ("bounded page", checks.bounded_page)):
            browser.emulate(1600, "light")
            checks.reset(browser)
            self.attempt(name, lambda: action(browser, url))

    def look(self, name, url, looks):
        """The layout of a page, at widths in pixels and color schemes, with a screenshot of each."""
        browser = self.browser
        browser.read_logs()
        browser.open(url)
        browser.frames(1)
        for width, scheme in looks:
            browser.emulate(width, scheme)
            browser.run("scrollTo(0,0);draw()")
            self.attempt(f"{name} {scheme} {width} px", lambda: checks.layout(browser))
            browser.shoot(f"{name}-{scheme}-{width}", width)

    def zoom(self, name):
        """A window of 1,280 or 800 px at 200 %."""
        for width in (640, 400):
            self.browser.emulate(width, "light", height=500, scale=2)
            self.attempt(f"{name} {2 * width} px at 200 %", lambda: checks.layout(self.browser))

    def open_call(self, name):
        browser = self.browser
        for width, scheme in ((400, "light"), (1600, "dark")):
            browser.emulate(width, scheme)
            browser.run("showKind(1);draw();document.querySelector('#calls tbody .go')?.click()")
            self.attempt(f"{name} with a call, {scheme} {width} px", lambda: checks.layout(browser))
            browser.shoot(f"{name}-call-{scheme}-{width}", width, whole=False)
            browser.run("openCall(null);showKind(0)")

    def end(self, urls):
        browser = self.browser
        browser.read_logs()
        self.attempt("no request to another host", lambda: checks.no_outside_request(browser, urls))
        messages = [m for m in browser.messages if "ERR_INCOMPLETE_CHUNKED" not in m and "ERR_CONNECTION_REFUSED" not in m]
        self.attempt("no message in the console", lambda: check(not messages, f"{messages[:3]}"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("urls", nargs="*", metavar="[NAME=]URL", help="the link that a dashboard has printed")
    parser.add_argument("--axe", required=True, metavar="FILE", help="axe.min.js")
    parser.add_argument("--demo", required=True, metavar="FILE", help="the program bookshop-demo, for a run without a URL")
    parser.add_argument("--out", required=True, metavar="FOLDER", help="where screenshots are written")
    parser.add_argument("--patience", type=float, default=20, metavar="S", help="how long to wait for events of the traffic (20)")
    parser.add_argument("--watch", type=float, default=0, metavar="S", help="how long the cost of frames is measured (not at all)")
    parser.add_argument("--frame-ms", type=float, default=8, metavar="MS", help="the most that a frame may cost at p95 (8)")
    parser.add_argument("--soak", type=float, default=0, metavar="MIN", help="only leave the page open for so long (22): it must not grow")
    parser.add_argument("--pictures", metavar="FOLDER", help="only make the pictures of the documentation: takes ten minutes")
    parser.add_argument("--traffic", type=float, default=605, metavar="S", help="how many seconds of traffic the pictures show (605)")
    options = parser.parse_args()
    folder = pathlib.Path(options.pictures or options.out)
    folder.mkdir(parents=True, exist_ok=True)
    pages = {name or f"page{index or ''}": url for index, (name, url) in enumerate(
        (u.partition("=")[::2] if "=" in u.split("//")[0] else ("", u)) for u in options.urls)}
    began = time.monotonic()
    # So that what was started is ended.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with contextlib.ExitStack() as stack:
        demos = {} if pages else start_demos(options, stack)
        pages = pages or {name: demo.url for name, demo in demos.items()}
        browser = Browser(pathlib.Path(options.axe).read_text(encoding="utf-8"), folder, traces=options.watch > 0)
        stack.callback(browser.close)
        run = Run(browser, options)
        check_pages(run, pages, demos)
    print(f"page: {time.monotonic() - began:.0f} s")
    print(f"{run.passed} passed, {len(run.failures)} failed")
    sys.exit(1 if run.failures else 0)


def start_demos(options, stack):
    kinds = {"page": ["--rate", "150", "--calm", "2"]}
    if options.pictures:
        kinds = {"page": ["--calm", "20"]}
    elif options.soak:
        kinds = {"page": []}
    else:
        kinds |= {"operations": ["--operations", "200", "--rate", "60"], "empty": ["--rate", "0"]}
    demos = {}
    for name, arguments in kinds.items():
        demos[name] = Demo(options.demo, *arguments)
        stack.callback(demos[name].end)
    return demos


def check_pages(run, pages, demos):
    browser, options = run.browser, run.options
    (name, url), *others = pages.items()
    if options.soak or options.pictures:
        browser.emulate(1600, "light")
        browser.open(url)
        if options.soak:
            run.attempt("soak", lambda: checks.soak(browser, options.soak, options.frame_ms))
            run.end([url])
        else:
            run.attempt("pictures", lambda: pictures.make(browser, options.traffic))
        return
    run.use(url)
    run.look(name, url, [(width, scheme) for width in WIDTHS for scheme in ("light", "dark")])
    run.zoom(name)
    run.open_call(name)
    for other, link in others:
        run.look(other, link, [(1600, "light"), (400, "dark")])
    if demos:
        browser.emulate(1600, "light")
        browser.open(url)
        run.attempt("a program that ends", lambda: checks.ended(browser, lambda: check(
            demos[name].end(signal.SIGINT) == 0, "the demo has not ended as it should")))
        browser.shoot("ended-light-1600", 1600, whole=False)
    run.end(pages.values())


if __name__ == "__main__":
    main()
