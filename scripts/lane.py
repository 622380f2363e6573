#!/usr/bin/env python3
"""Runs a binary of tests, shows its failures as they come, and notes what each test costs.

usage: scripts/lane.py [--silence SECONDS] NAME OUTPUT COSTS COMMAND [ARGUMENT ...]

COMMAND is a test binary of SwiftPM. All that it prints goes to the file OUTPUT. The file COSTS gets a line for each
test, separated by tabs: its identifier, seconds, seconds of processor time (with the processes that the test started
and waited for), its file, its line, and "passed" or "failed". The processor time is right where tests run one at a time
(--no-parallel).

NAME is printed before each line. Where nothing was printed for SECONDS (600 by default), the stacks of all processes
are shown and they are ended.

Exit status: that of COMMAND; 1 where it was ended by a signal, ran no test, noted a failure, did not end its run (a test
may have called exit), or where its events could not be read; 2 wrong usage; 130 where this program was interrupted.
"""

import ctypes
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

TICKS = os.sysconf("SC_CLK_TCK")
PROGRESS = 500


class Lane:
    def __init__(self, name, output, costs, silence, command):
        self.name, self.output, self.silence, self.command = name, pathlib.Path(output), silence, command
        self.costs = open(costs, "w", encoding="utf-8")
        self.places, self.running, self.failed = {}, {}, []
        self.ended, self.closing, self.heard = 0, None, time.monotonic()
        self.trouble, self.used = None, 0

    def say(self, text):
        print(f"{self.name}: {text}", flush=True)

    def processor(self):
        """Seconds of processor time of the process and of its children that ended."""
        try:
            fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
            self.used = sum(int(field) for field in fields[11:15]) / TICKS
        except OSError:  # It has ended: what is known last stays.
            pass
        return self.used

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
            file, line = self.places[test]
            verdict = "failed" if test in self.failed else "passed"
            self.costs.write(
                f"{test}\t{time.monotonic() - began:.3f}\t{self.processor() - used:.2f}\t{file}\t{line}\t{verdict}\n")
            self.costs.flush()
            self.ended += 1
            if self.ended % PROGRESS == 0:
                self.say(f"{self.ended} tests ended, {len(set(self.failed))} failed")
        elif kind == "runEnded":
            self.closing = " ".join(message["text"] for message in payload["messages"])

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
        """What the threads of the process group wait for: with gdb, otherwise the kernel's word."""
        for process in self.group():
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

    def group(self):
        """The processes of the group."""
        for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
            try:
                if stat.read_text().rpartition(")")[2].split()[2] == str(self.process.pid):
                    yield stat.parent.name
            except OSError:
                pass

    def guard(self):
        size = -1
        # Not collected here: its processor time can be read until its last events are.
        while os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            time.sleep(0.2)
            now = self.output.stat().st_size
            if now != size:
                size, self.heard = now, time.monotonic()
            if time.monotonic() - self.heard > self.silence:
                self.say(f"nothing was printed for {self.silence} s in {', '.join(self.running) or 'no test'}")
                self.stacks()
                self.end()
                return

    def end(self):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def run(self):
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            return self.run_in(folder)

    def run_in(self, folder):
        events = os.path.join(folder, "events")
        os.mkfifo(events)
        library = ctypes.CDLL(None)
        listener = threading.Thread(target=self.listen, args=(events,), daemon=True)
        listener.start()
        with open(self.output, "wb") as output:
            # The command ends with this process (PR_SET_PDEATHSIG), however this process ends.
            self.process = subprocess.Popen(
                self.command + ["--event-stream-output-path", events, "--event-stream-version", "0"],
                stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, start_new_session=True,
                preexec_fn=lambda: library.prctl(1, signal.SIGKILL))
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, lambda *_: (self.end(), sys.exit(130)))
        self.guard()
        # What the tests started and left behind. The number is still theirs.
        self.end()
        listener.join(5)
        status = self.process.wait()
        if status < 0:
            self.say(f"ended by {signal.Signals(-status).name} in {', '.join(self.running) or 'no test'}; its last words:")
            with open(self.output, "rb") as output:
                output.seek(max(0, self.output.stat().st_size - 4000))
                sys.stdout.write(output.read().decode(errors="replace") + "\n")
        for test in dict.fromkeys(self.failed):
            self.say(f"failed: {test}")
        if self.trouble:
            self.say(f"the events could not be read: {self.trouble}")
        if not self.ended:
            self.say("no test ran")
        self.say(self.closing or f"the run did not end, in {', '.join(self.running) or 'no test'}")
        bad = status < 0 or self.failed or self.trouble or self.running or not self.closing or not self.ended
        return status if status > 0 else int(bool(bad))


def main():
    arguments = sys.argv[1:]
    if arguments[:1] in (["-h"], ["--help"]):
        print(__doc__)
        return 0
    silence = 600
    if arguments[:1] == ["--silence"] and len(arguments) > 1 and arguments[1].isdigit():
        silence, arguments = int(arguments[1]), arguments[2:]
    if len(arguments) < 4 or arguments[0].startswith("-"):
        print("lane.py: needs a name, two files and a command (see --help)", file=sys.stderr)
        return 2
    sys.stdout.reconfigure(errors="backslashreplace")
    try:
        return Lane(*arguments[:3], silence, arguments[3:]).run()
    except OSError as error:
        print(f"lane.py: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
