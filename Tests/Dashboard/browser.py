"""A headless Chromium of the distribution, driven by its own driver."""

import json
import time

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains

# Events of a trace that are script, layout or style.
WORK = ("FunctionCall", "EventDispatch", "FireAnimationFrame", "TimerFire", "EvaluateScript", "Layout", "UpdateLayoutTree",
        "MinorGC", "MajorGC")


class Browser:
    """One session. Sizes and color schemes are emulated, so that one window serves all checks."""

    def __init__(self, axe, folder, traces=False):
        options = Options()
        options.binary_location = "/usr/bin/chromium"
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                         "--disable-background-networking", "--disable-component-update", "--no-first-run",
                         "--disable-dev-shm-usage"):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        if traces:
            options.add_experimental_option("perfLoggingPrefs", {"traceCategories": "devtools.timeline"})
        self.driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
        self.driver.set_script_timeout(30)
        # Of the processor, not of the clock.
        self.command("Performance.enable", timeDomain="threadTicks")
        self.axe, self.folder = axe, folder
        self.requests, self.messages, self.trace = [], [], []

    def close(self):
        self.driver.quit()

    def command(self, name, **parameters):
        return self.driver.execute_cdp_cmd(name, parameters)

    def emulate(self, width, scheme, height=1000, scale=1, motion="no-preference"):
        self.command("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=False)
        self.command("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": scheme}, {"name": "prefers-reduced-motion", "value": motion}])

    def open(self, url):
        self.driver.get(url)
        self.until("the first frame", "return view !== null", 20)

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def until(self, what, script, seconds=10):
        """Waits until a script returns something true, and returns it."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            result = self.run(script)
            if result:
                return result
            time.sleep(0.05)
        raise AssertionError(f"{what}: not within {seconds} s")

    def frames(self, count=1):
        """Waits until the page has drawn so many more frames of the stream."""
        for _ in range(count):
            before = self.run("return S.frame.frame")
            self.until("a frame", f"return S.frame.frame !== {before}", 10)
        self.run("draw()")

    def click(self, css):
        """Clicks what a person would click: the element must be in sight, and on top."""
        element = self.driver.find_element("css selector", css)
        self.run("arguments[0].scrollIntoView({block:'center'})", element)
        ActionChains(self.driver).move_to_element(element).click().perform()

    def away(self):
        """Moves the pointer to where it holds nothing."""
        self.command("Input.dispatchMouseEvent", type="mouseMoved", x=1, y=1)

    def keys(self, *keys):
        for key in keys:
            ActionChains(self.driver).send_keys(key).perform()

    def violations(self):
        if not self.run("return typeof axe === 'object'"):
            self.run(self.axe)
        result = self.driver.execute_async_script(
            "const done=arguments[0];axe.run(document,{resultTypes:['violations']}).then(r=>done(r.violations),e=>done(String(e)))")
        if isinstance(result, str):
            return [result]
        return [f"{v['id']}: {v['help']}: {node['target']} {node.get('failureSummary', '')[:300]}"
                for v in result for node in v["nodes"][:3]]

    def shoot(self, name, width, whole=True):
        """A screenshot of the whole page, or of what is in sight."""
        if whole:
            height = self.run("return document.documentElement.scrollHeight")
            self.command("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
            # What comes into sight is drawn.
            time.sleep(0.3)
            self.run("draw();return new Promise(f=>requestAnimationFrame(()=>requestAnimationFrame(f)))")
        self.driver.save_screenshot(str(self.folder / f"{name}.png"))

    def read_logs(self):
        """Collects the requests, the messages, and the events of work since the last time."""
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            parameters = message["params"]
            if message["method"] == "Network.requestWillBeSent":
                self.requests.append(parameters["request"]["url"])
            elif message["method"] == "Tracing.dataCollected" and parameters.get("name") in WORK:
                self.trace.append(parameters)
        self.messages += [entry["message"] for entry in self.driver.get_log("browser")]

    def costs_of_frames(self):
        """The milliseconds of script, layout and style of each frame since the last time, by the browser's trace: the time
        of the processor, of events that are in no other one. Frames are a second apart."""
        self.read_logs()
        frames, end, last = [], 0, 0
        for event in sorted(self.trace, key=lambda event: event["ts"]):
            if event["ts"] < end:
                continue
            if event["ts"] - last > 300_000:
                frames.append(0)
            last = end = event["ts"] + event.get("dur", 0)
            frames[-1] += event.get("tdur", 0) / 1000
        self.trace = []
        # Less is a timer that found nothing to do.
        return [cost for cost in frames if cost > 0.5]

    def metrics(self):
        return {m["name"]: m["value"] for m in self.command("Performance.getMetrics")["metrics"]}
