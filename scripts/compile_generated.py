"""Generates and compiles documents, each in a package of its own, and prints what that took.

Called by compile-generated.sh, whose --help says what it does.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

import names_document

ROOT = pathlib.Path(__file__).resolve().parent.parent
SUFFIXES = {".yaml", ".yml", ".json"}
TICKS = os.sysconf("SC_CLK_TCK")

PACKAGE = """\
// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "{module}",
    products: [.library(name: "{module}", targets: ["{module}"])],
    dependencies: [.package(name: "GatewayClient", path: {root})],
    targets: [
        .target(
            name: "{module}",
            dependencies: [.product(name: "GatewayClient", package: "GatewayClient")],
            swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error){isolation}]{plugins})
    ]
)
"""


def fail(text, status):
    print(f"compile-generated: {text}", file=sys.stderr)
    sys.exit(status)


def is_document(path):
    """Whether a file's outermost object says which OpenAPI it is."""
    text = path.read_text(encoding="utf-8", errors="replace")
    if path.suffix == ".json":
        return re.search(r'"openapi"\s*:\s*"3\.', text) is not None
    return re.search(r"""^(\{\s*)?["']?openapi["']?\s*:\s*["']?3\.""", text, re.MULTILINE) is not None


def documents(arguments):
    found = []
    for argument in arguments:
        path = pathlib.Path(argument)
        if path.is_dir():
            files = sorted(p for p in path.rglob("*") if p.suffix in SUFFIXES and p.is_file())
            found += [p.resolve() for p in files if is_document(p)]
        elif path.is_file() and os.access(path, os.R_OK):
            found.append(path.resolve())
        else:
            fail(f"cannot read {argument}", 2)
    if not found:
        fail("there is no OpenAPI document there", 2)
    return found


def module_names(paths):
    """A module of its own for each document: two documents may have a name in common."""
    names, taken = [], set()
    for path in paths:
        stem = re.sub(r"[^A-Za-z0-9]+", "_", path.stem).strip("_")
        name, number = "Generated_" + stem, 2
        while name.lower() in taken:
            name, number = f"Generated_{stem}_{number}", number + 1
        taken.add(name.lower())
        names.append(name)
    return names


def run_measured(command):
    """A process's output, its exit code, seconds and peak megabytes."""
    start = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return output, process.returncode, time.monotonic() - start, usage.ru_maxrss / 1024


class CompilerWatch:
    """Watches the compiler processes below a process: when they ran, and how large each became."""

    def __init__(self, module):
        self.module = module.encode()
        self.first = None
        self.last = None
        self.peak = 0
        self.known = {}
        self.ticks = {}

    def look(self, pid):
        waiting = [pid]
        while waiting:
            pid = waiting.pop()
            try:
                waiting += map(int, pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split())
                # Any thread may have started it.
                for task in os.listdir(f"/proc/{pid}/task"):
                    if int(task) != pid:
                        children = pathlib.Path(f"/proc/{pid}/task/{task}/children").read_text()
                        waiting += map(int, children.split())
                self.measure(pid)
            except (OSError, ValueError):
                continue

    def measure(self, pid):
        is_ours = self.known.get(pid)
        if is_ours is None:
            command = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
            if not command[0]:
                return
            is_ours = b"swift" in command[0] and b"-module-name" in command and self.module in command
            # A process that is not yet what it is going to be is looked at again.
            if not is_ours and b"swift-build" not in command[0] and b"frontend" not in command[0]:
                return
            self.known[pid] = is_ours
        if not is_ours:
            return
        now = time.monotonic()
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        self.ticks[pid] = int(fields[11]) + int(fields[12])
        if self.first is None:
            boot = time.clock_gettime(time.CLOCK_BOOTTIME)
            self.first = now - (boot - int(fields[19]) / TICKS)
        self.last = now
        status = pathlib.Path(f"/proc/{pid}/status").read_text()
        match = re.search(r"VmHWM:\s+(\d+) kB", status)
        if match:
            self.peak = max(self.peak, int(match[1]) / 1024)

    @property
    def seconds(self):
        return 0.0 if self.first is None else self.last - self.first

    @property
    def cpu_seconds(self):
        return sum(self.ticks.values()) / TICKS


def build(package, scratch, module, log):
    """Builds a package; the watch tells what its own module took."""
    watch = CompilerWatch(module)
    # The plan of another package must not be taken for this one's.
    for plan in ("debug.yaml", "plugin-tools.yaml"):
        (scratch / plan).unlink(missing_ok=True)
    command = ["swift", "build", "--package-path", str(package), "--scratch-path", str(scratch)]
    with open(log, "w") as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)
        while process.poll() is None:
            watch.look(process.pid)
            time.sleep(0.03)
    return process.returncode, watch


def write_package(folder, module, isolation="", plugins=""):
    (folder / "Sources" / module).mkdir(parents=True, exist_ok=True)
    text = PACKAGE.format(module=module, root=json.dumps(str(ROOT)), isolation=isolation, plugins=plugins)
    target = folder / "Package.swift"
    if not target.exists() or target.read_text() != text:
        target.write_text(text)


def text_size(scratch, module):
    objects = sorted((scratch / "debug" / f"{module}.build").glob("*.o"))
    if not objects:
        return 0.0
    lines = subprocess.run(["size", *map(str, objects)], capture_output=True, text=True).stdout.splitlines()
    return sum(int(line.split()[0]) for line in lines[1:]) / 1e6


def counted(folder):
    operations = types = lines = code = 0
    for path in folder.glob("*.swift"):
        for line in path.read_text(encoding="utf-8").splitlines():
            lines += 1
            stripped = line.strip()
            if stripped and not stripped.startswith("//"):
                code += 1
            if line.startswith("// MARK: "):
                operations += 1
            if re.match(r"(public )?(nonisolated )?(struct|enum|typealias) ", stripped):
                types += 1
    return {"operations": operations, "types": types, "lines": lines, "code": code}


COLUMNS = [
    ("document", "document", "{}"), ("operations", "ops", "{}"), ("types", "types", "{}"),
    ("warnings", "warn", "{}"), ("generate_s", "gen s", "{:.2f}"), ("generate_mb", "gen MB", "{:.0f}"),
    ("lines", "lines", "{}"), ("code", "code", "{}"), ("compile_s", "comp s", "{:.1f}"),
    ("compile_cpu_s", "cpu s", "{:.1f}"), ("compiler_mb", "peak MB", "{:.0f}"), ("text_mb", "text MB", "{:.2f}"), ("verdict", "verdict", "{}"),
]


def print_table(rows):
    cells = [[title for _, title, _ in COLUMNS]]
    for row in rows:
        cells.append([form.format(row[key]) if row.get(key) is not None else "-" for key, _, form in COLUMNS])
    widths = [max(len(line[index]) for line in cells) for index in range(len(COLUMNS))]
    for line in cells:
        parts = []
        for index, cell in enumerate(line):
            is_text = COLUMNS[index][0] in ("document", "verdict")
            parts.append(cell.ljust(widths[index]) if is_text else cell.rjust(widths[index]))
        print("  ".join(parts).rstrip())


def excerpt(log):
    lines = pathlib.Path(log).read_text(errors="replace").splitlines()
    wrong = [line for line in lines if re.search(r"\berror:", line)]
    for line in list(dict.fromkeys(wrong))[:12] or lines[-12:]:
        print("    " + line[:300], file=sys.stderr)


def one_document(path, module, options, work, tool):
    row = {"document": path.name, "verdict": "ok"}
    package = work / "packages" / module
    write_package(package, module)
    sources = package / "Sources" / module
    for old in sources.glob("*"):
        old.unlink()
    output, status, seconds, memory = run_measured([tool, "generate", str(path), "--verbose", "--output", str(sources)])
    row.update(
        generate_s=seconds, generate_mb=memory, warnings=len(re.findall(r": warning: ", output)), **counted(sources))
    log = work / f"{module}.generate.log"
    log.write_text(output)
    if status != 0:
        row["verdict"] = f"generate: exit {status}"
        excerpt(log)
        return row
    if options.generate_only:
        return row
    shutil.rmtree(work / "build" / "debug" / f"{module}.build", ignore_errors=True)
    log = work / f"{module}.compile.log"
    status, watch = build(package, work / "build", module, log)
    row.update(
        compile_s=watch.seconds, compile_cpu_s=watch.cpu_seconds, compiler_mb=watch.peak, text_mb=text_size(work / "build", module))
    if status != 0 or row["text_mb"] == 0:
        row["verdict"] = "does not compile"
        excerpt(log)
    return row


def build_runtime(work):
    """The runtime is built first, so that the figures are the generated modules' own."""
    package = work / "packages" / "Runtime"
    write_package(package, "Runtime")
    (package / "Sources" / "Runtime" / "Runtime.swift").write_text("import GatewayClient\n")
    log = work / "runtime.log"
    status, _ = build(package, work / "build", "Runtime", log)
    if status != 0:
        excerpt(log)
        fail("the runtime does not build", 1)


def one_of_names(modules, options, work, tool):
    """A document whose parts are named like the identifiers of all clients that were generated."""
    folder = work / "names"
    folder.mkdir(exist_ok=True)
    path = folder / "Names.openapi.json"
    names_document.write(path, {"own"})
    sources = folder / "Sources"
    output, status, _, _ = run_measured([tool, "generate", str(path), "--output", str(sources)])
    if status != 0:
        fail(f"the document of names does not generate:\n{output}", 1)
    names = names_document.identifiers(sources, including_declared=True)
    for module in modules:
        names |= names_document.identifiers(work / "packages" / module / "Sources" / module, including_declared=False)
    names_document.write(path, names)
    return one_document(path, "Generated_Names_of_code", options, work, tool)


def build_by_plugin(path, work):
    package = work / "packages" / "ByPlugin"
    write_package(
        package, "ByPlugin", isolation=", .defaultIsolation(MainActor.self)",
        plugins=',\n            plugins: [.plugin(name: "GatewayOpenAPIPlugin", package: "GatewayClient")]')
    sources = package / "Sources" / "ByPlugin"
    for old in sources.glob("*"):
        old.unlink()
    # The plugin knows a document by its name.
    name = path.name if ".openapi." in path.name else f"{path.stem}.openapi{path.suffix}"
    shutil.copyfile(path, sources / name)
    (sources / "ByPlugin.swift").write_text("// The client comes from the build plugin.\n")
    log = work / "plugin.log"
    status, watch = build(package, work / "build", "ByPlugin", log)
    verdict = "ok" if status == 0 else "does not compile"
    if status != 0:
        excerpt(log)
    else:
        verdict = rebuilt_by_plugin(package, work)
    return {
        "document": f"{path.name} (plugin)", "compile_s": watch.seconds, "compile_cpu_s": watch.cpu_seconds, "compiler_mb": watch.peak,
        "verdict": verdict,
    }


def write_by_command(path, work):
    """Writes the client by the command plugins, as a user does: once, checked, changed by hand, and refused for a target that
    has the build plugin."""
    package, module = work / "packages" / "ByCommand", "ByCommand"
    shutil.rmtree(package, ignore_errors=True)
    write_package(package, module)
    sources = package / "Sources" / module
    shutil.copyfile(path, sources / f"{path.name.split('.')[0]}.openapi{path.suffix}")
    (sources / "ByCommand.swift").write_text("// The client is written by a command.\n")
    started = time.monotonic()
    log = work / "command.log"
    log.write_text("")

    def run(*arguments):
        command = ["swift", "package", "--package-path", str(package), "--scratch-path", str(work / "build"), *arguments]
        for plan in ("debug.yaml", "plugin-tools.yaml"):
            (work / "build" / plan).unlink(missing_ok=True)
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        with open(log, "a") as output:
            output.write(f"$ {' '.join(command)}\n{done.stdout}exit {done.returncode}\n")
        return done.returncode == 0, done.stdout

    def generate():
        return run("--allow-writing-to-package-directory", "generate-client")

    def verdict():
        if run("check-client")[0]:
            return "check-client accepts a client that was never written"
        if not generate()[0]:
            return "generate-client fails"
        written = sorted((sources / "Generated").rglob("*.swift"))
        if not written or not (sources / "openapi.lock").exists():
            return "generate-client writes no client or no lock"
        if not run("check-client")[0]:
            return "check-client rejects what generate-client wrote"
        content = written[0].read_text()
        written[0].write_text(content + "// Changed by hand.\n")
        is_accepted, text = run("check-client")
        if is_accepted or written[0].name not in text:
            return "check-client does not name a changed file"
        if written[0].read_text() == content:
            return "check-client writes files"
        if not generate()[0] or written[0].read_text() != content:
            return "generate-client does not write a changed file"
        if build(package, work / "build", module, work / "command.build.log")[0] != 0:
            excerpt(work / "command.build.log")
            return "does not compile"
        # The build plugin would refuse the written files first.
        shutil.rmtree(sources / "Generated")
        write_package(package, module, plugins=',\n            plugins: [.plugin(name: "GatewayOpenAPIPlugin", package: "GatewayClient")]')
        is_accepted, text = generate()
        if is_accepted or "uses GatewayOpenAPIPlugin" not in text:
            return "generate-client writes beside the build plugin"
        return "ok"

    result = verdict()
    if result != "ok":
        excerpt(log)
    return {"document": f"{path.name} (commands, {time.monotonic() - started:.0f} s)", "verdict": result}


def rebuilt_by_plugin(package, work):
    """Builds again what did not change. SwiftPM links the tool once more in the second build, which runs it; no file must be
    written, and nothing compiled. The third build must not run it."""
    outputs = work / "build" / "plugins" / "outputs" / "byplugin"

    def times():
        return {str(p): p.stat().st_mtime_ns for p in outputs.rglob("*.swift")}

    before = times()
    if not before:
        return "the plugin's files are not found"
    for number in (2, 3):
        log = work / f"plugin.{number}.log"
        command = ["swift", "build", "--package-path", str(package), "--scratch-path", str(work / "build")]
        with open(log, "w") as output:
            if subprocess.run(command, stdout=output, stderr=subprocess.STDOUT).returncode != 0:
                excerpt(log)
                return f"build {number} fails"
        text = log.read_text(errors="replace")
        if times() != before:
            return f"build {number} writes files"
        if "Compiling ByPlugin" in text or (number == 3 and "Generating " in text):
            return f"build {number} does work"
    return "ok"


def main():
    parser = argparse.ArgumentParser(prog="compile-generated", add_help=False)
    parser.add_argument("--plugin", action="store_true")
    parser.add_argument("--names", action="store_true")
    parser.add_argument("--generate-only", action="store_true")
    parser.add_argument("--tool")
    parser.add_argument("--json")
    parser.add_argument("paths", nargs="+")
    options = parser.parse_args()
    paths = documents(options.paths)
    kept = os.environ.get("GATEWAY_COMPILE_DIR")
    work = pathlib.Path(kept) if kept else pathlib.Path(tempfile.mkdtemp(prefix="compile-generated."))
    work.mkdir(parents=True, exist_ok=True)
    work = work.resolve()
    try:
        tool = options.tool
        if not tool:
            print("compile-generated: building the tool", file=sys.stderr)
            command = ["swift", "build", "--package-path", str(ROOT), "--product", "gateway-openapi"]
            built = subprocess.run(command, stdout=sys.stderr)
            if built.returncode != 0:
                fail("the tool does not build", 1)
            bin_path = subprocess.run([*command, "--show-bin-path"], capture_output=True, text=True).stdout
            tool = str(pathlib.Path(bin_path.strip()) / "gateway-openapi")
        if not options.generate_only:
            print("compile-generated: building the runtime", file=sys.stderr)
            build_runtime(work)
        rows = []
        modules = module_names(paths)
        for path, module in zip(paths, modules):
            print(f"compile-generated: {path.name}", file=sys.stderr)
            rows.append(one_document(path, module, options, work, tool))
        if options.names:
            print("compile-generated: the names of generated code", file=sys.stderr)
            rows.append(one_of_names(modules, options, work, tool))
        if options.plugin and not options.generate_only:
            rows.append(build_by_plugin(paths[0], work))
            rows.append(write_by_command(paths[0], work))
        print_table(rows)
        if options.json:
            pathlib.Path(options.json).write_text(json.dumps(rows, indent=2) + "\n")
        wrong = [row for row in rows if row["verdict"] != "ok"]
        if wrong:
            fail(f"{len(wrong)} of {len(rows)} failed", 1)
        done = "generate" if options.generate_only else "compile without warnings"
        print(f"compile-generated: all {len(rows)} {done}", file=sys.stderr)
    finally:
        if not kept:
            shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    main()
