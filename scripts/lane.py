#!/usr/bin/env python3
"""Runs a binary of tests, shows its failures as they come, and notes what each test costs.

usage: scripts/lane.py [--silence SECONDS] [--longest SECONDS] [--no-skips] NAME OUTPUT COSTS COMMAND [ARGUMENT ...]

COMMAND is a test binary of SwiftPM. All that it prints goes to the file OUTPUT. The file COSTS gets a line for each
test, separated by tabs: its identifier, seconds, seconds of processor time (with the processes that the test started
and waited for), its file, its line, and "passed", "failed" or "skipped". The processor time is right where tests run one
at a time (--no-parallel). A last line, "yardstick", has the seconds of processor time of the same work of this program,
the median of one measurement in 5 s: how fast the machine was meanwhile. What the tests started and left running is ended
and named.

  --silence SECONDS   where nothing was printed for so long, all processes are ended and their stacks shown (default: 600)
  --longest SECONDS   the same where one test takes longer (default: 900)
  --no-skips          a skipped test is a failure, unless its reason is that of a tier (Tests/Support/TestTiers)

NAME is printed before each line.

Exit status: that of COMMAND; 1 where it was ended by a signal, ran no test or not all that it had announced, noted a
failure, did not end its run (a test may have called exit), or where its events could not be read; 2 wrong usage; 130
where this program was interrupted.
"""

import argparse
import collections
import ctypes
import json
import os
import pathlib
import shutil
import signal
import statistics
import subprocess
import sys
import threading
import time

TICKS = os.sysconf("SC_CLK_TCK")
PROGRESS = 500
YARDSTICK_SECONDS = 5
# Constants of prctl.
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36


def stat(process):
    """The fields of a process behind its name, which may have spaces; none where it has ended."""
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


def yardstick():
    """Seconds of processor time of some work that is always the same."""
    began = time.thread_time()
    json.loads(json.dumps({str(number): [number] * 8 for number in range(4000)}))
    return time.thread_time() - began


def processes():
    return [entry.name for entry in pathlib.Path("/proc").glob("[0-9]*")]


class Lane:
    def __init__(self, options):
        self.name, self.output, self.command = options.name, pathlib.Path(options.output), options.command
        self.silence, self.longest, self.may_skip = options.silence, options.longest, not options.no_skips
        self.costs = open(options.costs, "w", encoding="utf-8")
        self.places, self.running, self.failed, self.ended = {}, {}, [], set()
        # The reasons of skipped tests, and those that are no failure.
        self.skipped, self.tiers = {}, set()
        self.closing, self.heard = None, time.monotonic()
        self.process, self.trouble, self.used, self.was_ended = None, None, 0, False
        self.yardsticks = [yardstick()]

    def say(self, text):
        print(f"{self.name}: {text}", flush=True)

    def processor(self):
        """Seconds of processor time of the process and of its children that ended."""
        if fields := stat(self.process.pid):  # Once it has ended, what is known last stays.
            self.used = sum(int(field) for field in fields[11:15]) / TICKS
        return self.used

    def note(self, test, wall, used, verdict):
        """A line of COSTS."""
        file, line = self.places[test]
        self.costs.write(f"{test}\t{wall:.3f}\t{used:.2f}\t{file}\t{line}\t{verdict}\n")
        self.costs.flush()

    def take(self, record):
        payload = record["payload"]
        if record["kind"] == "test":
            if payload["kind"] == "function":
                place = payload["sourceLocation"]
                self.places[payload["id"]] = (place.get("filePath") or place.get("_filePath", ""), place["line"])
            return
        kind, test = payload["kind"], payload.get("testID")
        if kind == "testStarted" and test in self.places:
            self.running[test] = (time.monotonic(), self.processor())
        elif kind == "issueRecorded":
            issue = payload.get("issue", {})
            if not issue.get("isKnown") and issue.get("severity", "error") == "error":
                self.failed.append(test)
                place = issue.get("sourceLocation") or {}
                text = " ".join(message["text"] for message in payload["messages"])
                self.say(f"✘ {test} ({place.get('fileID')}:{place.get('line')}): {text}")
        elif kind == "testEnded" and test in self.running:
            began, used = self.running.pop(test)
            if any(message["symbol"] == "fail" for message in payload["messages"]):
                self.failed.append(test)
            verdict = "failed" if test in self.failed else "passed"
            self.note(test, time.monotonic() - began, self.processor() - used, verdict)
            self.ended.add(test)
            if len(self.ended) % PROGRESS == 0:
                self.say(f"{len(self.ended)} tests ended, {len(set(self.failed))} failed")
        elif kind in ("testSkipped", "testCancelled") and test in self.places:
            self.running.pop(test, None)
            self.skipped[test] = " ".join(payload.get("_comments", [])) or "no reason is given"
            if payload.get("_sourceLocation", {}).get("fileID", "").startswith("TestTiers/"):
                self.tiers.add(test)
            self.note(test, 0, 0, "skipped")
        elif kind == "runEnded":
            self.closing = " ".join(message["text"] for message in payload["messages"])
            if any(message["symbol"] == "fail" for message in payload["messages"]) and not self.failed:
                self.failed.append("the run")

    def listen(self, path):
        """Reads to the end whatever comes: a reader that goes away would end the tests with SIGPIPE."""
        with open(path, encoding="utf-8", errors="replace") as events:
            for line in events:
                self.heard = time.monotonic()
                try:
                    if line.strip():
                        self.take(json.loads(line))
                except Exception as error:
                    if not self.trouble:
                        self.trouble = f"{type(error).__name__}: {error}, in the event {line[:200]!r}"

    def stacks(self):
        """What the threads of all processes wait for: with gdb, otherwise the kernel's word."""
        for process in self.descendants():
            self.say(f"stacks of process {process}:")
            shown = ""
            if shutil.which("gdb"):
                try:
                    shown = subprocess.run(
                        ["gdb", "-iex", "set complaints 0", "-p", process, "-batch", "-ex", "set pagination off", "-ex",
                         "thread apply all backtrace 16"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                        stderr=subprocess.STDOUT, text=True, errors="replace", timeout=60).stdout
                except subprocess.TimeoutExpired:
                    shown = "gdb did not end within 60 s."
            if shown:
                print(shown, flush=True)
            if "\n#0" not in shown:
                try:
                    for thread in pathlib.Path(f"/proc/{process}/task").iterdir():
                        print((thread / "comm").read_text().strip(), "in", (thread / "wchan").read_text(), flush=True)
                except OSError as error:
                    print(error, flush=True)

    def descendants(self):
        """The processes that the command started, and theirs, those that it left behind included."""
        parents = {process: fields[1] for process in processes() if (fields := stat(process)) and fields[0] != "Z"}
        found, new = [], [str(os.getpid())]
        while new:
            new = [process for process, parent in parents.items() if parent in new]
            found += new
        return found

    def guard(self):
        size, measured = -1, time.monotonic()
        # Not collected here: its processor time can be read until its last events are.
        while os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            time.sleep(0.2)
            if time.monotonic() - measured > YARDSTICK_SECONDS:
                self.yardsticks.append(yardstick())
                measured = time.monotonic()
            now = self.output.stat().st_size
            if now != size:
                size, self.heard = now, time.monotonic()
            if time.monotonic() - self.heard > self.silence:
                self.say(f"nothing was printed for {self.silence} s in {', '.join(self.running) or 'no test'}")
                return self.end_with_stacks()
            for test, (began, _) in list(self.running.items()):
                if time.monotonic() - began > self.longest:
                    self.say(f"takes longer than {self.longest} s: {test}")
                    return self.end_with_stacks()

    def end_with_stacks(self):
        self.was_ended = True
        self.stacks()
        self.end()

    def end(self):
        """Ends all that runs, and returns the names of what the command left behind."""
        left = []
        # A process that is ended may have started another one just before.
        for _ in range(10):
            ids = self.descendants()
            if not ids:
                break
            for process in ids:
                try:
                    command = pathlib.Path(f"/proc/{process}/comm").read_text().strip()
                    os.kill(int(process), signal.SIGKILL)
                except OSError:
                    continue
                if self.process is None or int(process) != self.process.pid:
                    left.append(f"{command} ({process})")
            time.sleep(0.05)
        return list(dict.fromkeys(left))

    def interrupt(self, *_):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        self.end()
        self.events.unlink(missing_ok=True)
        sys.exit(130)

    def run(self):
        self.events = self.output.with_name(self.output.name + ".events")
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self.interrupt)
        try:
            self.events.unlink(missing_ok=True)
            os.mkfifo(self.events)
            return self.run_with(str(self.events))
        finally:
            self.events.unlink(missing_ok=True)

    def run_with(self, events):
        library = ctypes.CDLL(None)
        # Processes whose parent has ended become children of this one.
        library.prctl(PR_SET_CHILD_SUBREAPER, 1)
        listener = threading.Thread(target=self.listen, args=(events,), daemon=True)
        listener.start()
        with open(self.output, "wb") as output:
            # The command ends with this process, however this process ends.
            self.process = subprocess.Popen(
                self.command + ["--event-stream-output-path", events, "--event-stream-version", "0"],
                stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, start_new_session=True,
                preexec_fn=lambda: library.prctl(PR_SET_PDEATHSIG, signal.SIGKILL))
        self.guard()
        if (left := self.end()) and not self.was_ended:
            self.say(f"left running by the tests, and ended: {', '.join(left)}")
        listener.join(5)
        self.costs.write(f"yardstick\t0\t{statistics.median(self.yardsticks):.5f}\t\t0\tyardstick\n")
        self.costs.flush()
        return self.verdict(self.process.wait())

    def verdict(self, status):
        if status < 0:
            self.say(f"ended by signal {-status} in {', '.join(self.running) or 'no test'}; its last words:")
            with open(self.output, "rb") as output:
                output.seek(max(0, self.output.stat().st_size - 4000))
                sys.stdout.write(output.read().decode(errors="replace") + "\n")
        for test in dict.fromkeys(self.failed):
            self.say(f"failed: {test}")
        if self.trouble:
            self.say(f"the events could not be read: {self.trouble}")
        if not self.ended:
            self.say("no test ran")
        missing = [test for test in self.places if test not in self.ended and test not in self.skipped]
        if self.closing is None:
            self.say(f"the run did not end, in {', '.join(self.running) or 'no test'}")
        elif missing:
            self.say(f"{len(missing)} tests were announced and did not run: {', '.join(missing[:10])}")
        for reason, count in collections.Counter(self.skipped.values()).most_common():
            self.say(f"skipped {count}: {reason}")
        forbidden = [] if self.may_skip else [test for test in self.skipped if test not in self.tiers]
        for test in forbidden[:20]:
            self.say(f"must not be skipped: {test}")
        failed = len(set(self.failed))
        self.say(f"{len(self.ended) - failed} passed, {failed} failed, {len(self.skipped)} skipped")
        bad = (
            status < 0 or self.failed or self.trouble or self.running or self.closing is None or missing or forbidden
            or not self.ended)
        return status if status > 0 else int(bool(bad))


def main():
    if sys.argv[1:2] in (["-h"], ["--help"]):
        print(__doc__)
        return 0
    parser = argparse.ArgumentParser(prog="lane.py", add_help=False, allow_abbrev=False)
    parser.add_argument("--silence", type=int, default=600)
    parser.add_argument("--longest", type=int, default=900)
    parser.add_argument("--no-skips", action="store_true")
    for name in ("name", "output", "costs"):
        parser.add_argument(name)
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    if not options.command:
        parser.error("needs a name, two files and a command (see --help)")
    sys.stdout.reconfigure(errors="backslashreplace")
    try:
        return Lane(options).run()
    except OSError as error:
        print(f"lane.py: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
