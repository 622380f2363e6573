"""A demo of Samples with its dashboard, as a process of its own."""

import subprocess


class Demo:
    def __init__(self, program, *options):
        self.process = subprocess.Popen([program, "--dashboard", *options], stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        if not line.startswith("Dashboard: http://"):
            self.process.kill()
            raise SystemExit(f"{program} has printed no link but '{line.strip()}'")
        self.url = line.removeprefix("Dashboard: ").strip()

    def end(self):
        """Ends it as Ctrl-C does, and returns its exit status."""
        self.process.terminate()
        try:
            return self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()
