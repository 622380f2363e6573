"""A demo of Samples with its dashboard, as a process of its own."""

import signal
import subprocess


class Demo:
    def __init__(self, program, *options):
        # It ends by itself if nobody is left to end it.
        command = [program, "--dashboard", "--seconds", "3600", *options]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        if not line.startswith("Dashboard: http://"):
            self.process.kill()
            raise SystemExit(f"{program} has printed no link but '{line.strip()}'")
        self.url = line.removeprefix("Dashboard: ").strip()

    def end(self, number=signal.SIGTERM):
        """Ends it by a signal, and returns its exit status."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        try:
            return self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()
