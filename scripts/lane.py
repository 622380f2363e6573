#!/usr/bin/env python3
"""Runs a binary of tests, shows its failures as they come, and notes what each test costs.

usage: scripts/lane.py [--silence SECONDS] NAME OUTPUT COSTS COMMAND [ARGUMENT ...]

COMMAND is a test binary of SwiftPM. All that it prints goes to the file OUTPUT. The file COSTS gets a line for each
test, separated by tabs: its identifier, seconds, seconds of processor time (with the processes that the test started
and waited for), its file, its line, and "passed" or "failed". The processor time is right where tests run one at a time
(--no-parallel).

NAME is printed before each line. Where nothing was printed for SECONDS (600 by default), the stacks of all processes
are shown and they are ended.

Exit status: that of COMMAND; 1 where it was ended by a signal, or ran no test.
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
        self.tests, self.ended, self.closing, self.heard = 0, 0, None, time.monotonic()

    def say(self, text):
        print(f"{self.name}: {text}", flush=True)

    def processor(self):
        """Seconds of processor time of the process and of its children that ended."""
        try:
            fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return 0
        return sum(int(field) for field in fields[11:15]) / TICKS

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
        with open(path, encoding="utf-8") as events:
            for line in events:
                self.heard = time.monotonic()
                if line.strip():
                    self.take(json.loads(line))

    def stacks(self):
        """What the threads of the process group wait for: with gdb, otherwise the kernel's word."""
        group = subprocess.run(["pgrep", "-g", str(self.process.pid)], capture_output=True, text=True).stdout.split()
        for process in group:
            self.say(f"stacks of process {process}:")
            if shutil.which("gdb"):
                subprocess.run(
                    ["gdb", "-p", process, "-batch", "-ex", "set pagination off", "-ex",
                     "thread apply all backtrace 16"], stderr=subprocess.DEVNULL)
            else:
                for thread in pathlib.Path(f"/proc/{process}/task").iterdir():
                    print((thread / "comm").read_text().strip(), "in", (thread / "wchan").read_text(), flush=True)

    def guard(self):
        size = -1
        while self.process.poll() is None:
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
        folder = tempfile.mkdtemp()
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
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: (self.end(), sys.exit(130)))
        self.guard()
        status = self.process.wait()
        listener.join(5)
        shutil.rmtree(folder)
        if status < 0:
            self.say(f"ended by {signal.Signals(-status).name} in {', '.join(self.running) or 'no test'}; its last words:")
            with open(self.output, "rb") as output:
                output.seek(max(0, self.output.stat().st_size - 4000))
                sys.stdout.write(output.read().decode(errors="replace") + "\n")
        for test in dict.fromkeys(self.failed):
            self.say(f"failed: {test}")
        self.say(self.closing or "the run did not end")
        return status if status > 0 else int(status < 0 or not self.ended)


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
    return Lane(*arguments[:3], silence, arguments[3:]).run()


if __name__ == "__main__":
    sys.exit(main())
