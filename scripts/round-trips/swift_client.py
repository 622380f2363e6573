"""What a generated client offers, read from its public Swift declarations; and the driver that calls all of it."""

import contextlib
import glob
import io
import os
import re

SIMPLE = {"String", "Int", "UInt64", "Int32", "Int64", "Double", "Float", "Decimal", "Bool", "Date", "CalendarDate", "UUID",
          "URL", "Base64Data", "JSONValue", "CalendarDuration", "AsText<Int64>", "AsText<UInt64>", "AsText<Decimal>"}


def key(name):
    """A name without what naming rules change."""
    name = re.sub(r"^\+(\d)", r"plus\1", name)
    name = re.sub(r"^-(\d)", r"minus\1", name)
    return re.sub(r"[^a-z0-9]", "", name.lower())


def balanced(text, start):
    """The index after the parenthesis that closes the one at start."""
    depth = 0
    for index in range(start, len(text)):
        if text[index] in "([{<":
            depth += 1
        elif text[index] in ")]}" or (text[index] == ">" and text[index - 1] != "-"):
            depth -= 1
            if depth == 0:
                return index + 1
    return len(text)


def pieces(text):
    """The parts between top-level commas."""
    parts, depth, last = [], 0, 0
    for index, letter in enumerate(text):
        if letter in "([{<":
            depth += 1
        elif letter in ")]}" or (letter == ">" and text[index - 1] != "-"):
            depth -= 1
        elif letter == "," and depth == 0:
            parts.append(text[last:index])
            last = index + 1
    return [part.strip() for part in parts + [text[last:]] if part.strip()]


@contextlib.contextmanager
def written(path):
    """A file that is written only if its text changes, so that a second build has less to do."""
    out = io.StringIO()
    yield out
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            if file.read() == out.getvalue():
                return
    with open(path, "w", encoding="utf-8") as file:
        file.write(out.getvalue())


class Argument:
    def __init__(self, source):
        names, _, rest = source.partition(":")
        words = names.split()
        self.label = words[0]
        self.name = words[-1].strip("`")
        self.type, _, self.default = (part.strip() for part in rest.partition(" = "))
        self.is_body = self.label == "_" or (self.name == "body" and self.label != "body")

    @property
    def base(self):
        return self.type.rstrip("?")


class Method:
    def __init__(self, section, access, name, arguments, result):
        self.section = section
        self.access = access
        self.name = name
        self.arguments = [Argument(piece) for piece in pieces(arguments)]
        self.result = result

    @property
    def body_label(self):
        """The label of a body of another media type than the usual one; None for the usual one."""
        return next((argument.label for argument in self.arguments if argument.is_body and argument.label != "_"), None)


class SwiftClient:
    """The declarations of one generated client."""

    def __init__(self, folder, namespace):
        self.folder = folder
        self.namespace = namespace
        self.text = {}
        for path in sorted(glob.glob(os.path.join(folder, "*.swift"))):
            with open(path, encoding="utf-8") as file:
                self.text[os.path.basename(path)] = file.read()
        self.source = "\n".join(self.text.values())
        self.client = self.text.get(namespace + "Client.swift", "")
        self.types = self._types()
        self.groups = dict(
            (kind, name.strip("`"))
            for name, kind in re.findall(r"^    public var (\S+): (\w+) \{[ \n]", self.client, re.M))
        self.methods = self._methods()
        self.forms = self._forms()

    def _forms(self):
        """The types that are written as parts, by their last name: (key, argument) of each property."""
        forms, ambiguous = {}, set()
        for match in re.finditer(r"^( *)public nonisolated struct (\w+): MultipartBody, Sendable \{$", self.source, re.M):
            block = self.source[match.end():self.source.index(f"\n{match.group(1)}}}\n", match.end())]
            start = re.search(r"^ *public init\(", block, re.M)
            keys = {name.strip("`"): eval_literal(literal) for literal, name in
                    re.findall(r'_p\.\w+\(\s*("(?:[^"\\]|\\.)*"),\s+self\.(`?\w+`?)', block)}
            made = [Argument(piece) for piece in pieces(block[start.end():balanced(block, start.end() - 1) - 1])]
            if match.group(2) in forms:
                ambiguous.add(match.group(2))
            forms[match.group(2)] = [(keys[argument.name], argument) for argument in made if argument.name in keys]
        return {name: members for name, members in forms.items() if name not in ambiguous
                and all("MultipartFile" in argument.type or self.readable(argument.base) for _, argument in members)}

    def form(self, base):
        """The properties of a type that is written as parts; None for others."""
        return self.forms.get(base.rsplit(".", 1)[-1])

    def _types(self):
        """The types of the namespace: name → kind and what it conforms to."""
        types = {}
        for name, text in self.text.items():
            for block in re.split(r"^(?=(?:public )?nonisolated extension )", text, flags=re.M):
                if not re.match(r"(?:public )?nonisolated extension " + self.namespace + r"\b(?!Client|\.)", block):
                    continue
                for kind, type_name, rest in re.findall(
                        r"^    public (?:nonisolated )?(?:indirect )?(struct|enum|typealias|final class) (\w+)"
                        r"((?:(?: =|:)\n +)?.*)$",
                        block, re.M):
                    if "Schemas" in name or "Failure" not in rest:
                        types[type_name] = (kind, rest, "Schemas" in name)
        return types

    def _methods(self):
        methods = {}
        for text in self.text.values():
            # A long line continues on further lines of comments.
            parts = re.split(r"^// MARK: ([A-Z]+(?: |\n// )/.*(?:\n// .*)*)$", text, flags=re.M)
            for section, body in zip(parts[1::2], parts[2::2]):
                verb, path = re.split(r" |\n// ", section, maxsplit=1)
                section = verb + " " + path.replace("\n// ", "")
                for extension in re.findall(
                        r"^nonisolated extension " + self.namespace + r"Client((?:\.\w+)*) \{\n(.*?)^\}", body,
                        re.M | re.S):
                    path = [part for part in extension[0].split(".") if part]
                    if not path or not path[-1].startswith("WithResponse"):
                        continue
                    for match in re.finditer(r"^    public func (\S+?)\(", extension[1], re.M):
                        end = balanced(extension[1], match.end() - 1)
                        # A long signature is broken between arguments.
                        tail = re.sub(r"\s+", " ", extension[1][end:extension[1].index("{\n", end) + 1])
                        tail = re.sub(r"([<(\[]) | (?=[>)\]])", r"\1", tail)
                        result = re.search(r"-> (.*?)(?: \{)?$", tail)
                        method = Method(
                            section, path, match.group(1), extension[1][match.end():end - 1],
                            result.group(1) if result else "Void")
                        methods.setdefault(section, []).append(method)
        return methods

    # Names of the document

    def schema_types(self, names, places):
        """Component → type, by the names that the generator has given to places."""
        found = {}
        for name in names:
            swift = places.get("#/components/schemas/" + name.replace("~", "~0").replace("/", "~1"))
            if swift in self.types:
                found[name] = swift
        # What is nullable has its type at the place of the alternative that is not null.
        for name in names:
            alike = [swift for swift, (_, _, is_schema) in self.types.items()
                     if is_schema and key(swift) == key(name) and swift not in found.values()]
            if name not in found and len(alike) == 1:
                found[name] = alike[0]
        return found

    def readable(self, base):
        """Whether a value of this type can be made from JSON."""
        base = base.strip()
        if base.startswith("[String:"):
            return self.readable(base[8:-1])
        if base.startswith("["):
            return self.readable(base[1:-1])
        if base.endswith("?"):
            return self.readable(base[:-1])
        if base in SIMPLE:
            return True
        if not base.startswith(self.namespace + "."):
            return False
        name = base[len(self.namespace) + 1:]
        if "." in name:
            return True
        kind, rest, _ = self.types.get(name, ("", "", False))
        if kind == "typealias":
            return self.readable(rest.split("=", 1)[1])
        return bool(re.search(r"JSONObjectCodable|JSONCodable|OpenEnum", rest))

    # The driver

    def credentials(self, origins):
        """The expression of credentials for all schemes, for these origins too; None where there are none."""
        block = re.search(r"struct Credentials\w*: Sendable \{.*?public init\((.*?)\) \{", self.client, re.S)
        if not block:
            return None
        values = []
        for piece in pieces(block.group(1)):
            argument = Argument(piece)
            made = {"OAuthCredential": '.token("token")', "BearerCredential": '.token("token")',
                    "BasicCredential": None, "APIKeyCredential": None}.get(argument.base)
            if argument.base == "BasicCredential":
                made = 'BasicCredential(user: "user", password: "password")'
            if argument.base == "APIKeyCredential":
                made = 'APIKeyCredential("key")'
            if argument.base == "SecurityOptions":
                made = f"SecurityOptions(origins: [{', '.join(map(quoted, origins))}], showsClientCertificate: true)"
            if made:
                values.append(f"{argument.label}: {made}")
        return "Credentials" + ("Operations" if "struct CredentialsOperations" in self.client else ""), values

    def emit(self, folder, schema_types, calls, server, origins):
        """Writes the driver: the models by place, and a function for each call ((section, index) → Method)."""
        os.makedirs(folder, exist_ok=True)
        head = "import Foundation\n@_spi(Generated) import GatewayClient\n\n"
        with written(os.path.join(folder, "DriverModels.swift")) as out:
            readable = [(name, swift) for name, swift in sorted(schema_types.items())
                        if self.readable(f"{self.namespace}.{swift}")]
            out.write(head + "func driverModels() -> [String: AnyModel] {\n    "
                      f"{'var' if readable else 'let'} models: [String: AnyModel] = [:]\n")
            for name, swift in readable:
                out.write(f"    models[{quoted(name)}] = {self.namespace}.{swift}.self\n")
            out.write("    return models\n}\n")
        files = max(1, min(16, len(calls) // 16))
        client = self.namespace + "Client"
        chunks = [[] for _ in range(files)]
        for index, item in enumerate(sorted(calls.items())):
            chunks[index % files].append((index, item))
        for number, chunk in enumerate(chunks):
            with written(os.path.join(folder, f"DriverOperations{number}.swift")) as out:
                out.write(head)
                for index, (_, method) in chunk:
                    out.write(self._function(index, method, client))
                out.write(f"func driverOperations{number}(\n"
                          f"    _ table: inout [String: ({client}, Arguments) async throws -> Any]\n) {{\n")
                for index, (name, _) in chunk:
                    out.write(f"    table[{quoted(name)}] = call{index}\n")
                out.write("}\n")
        made = self.credentials(origins)
        arguments = []
        if server is not None:
            kind = "ServerOperations" if "struct ServerOperations" in self.client else "Server"
            arguments.append(f"server: {client}.{kind}(url: {quoted(server)})")
        if made:
            arguments.append(f"credentials: {client}.{made[0]}({', '.join(made[1])})")
        arguments.append("engine: $0")
        with written(os.path.join(folder, "main.swift")) as out:
            out.write(head + f"nonisolated func driverOperations() -> [String: ({client}, Arguments) async throws -> Any] {{\n"
                      f"    var table: [String: ({client}, Arguments) async throws -> Any] = [:]\n")
            for number in range(files):
                out.write(f"    driverOperations{number}(&table)\n")
            out.write("    return table\n}\n\nawait Driver.run(models: driverModels, operations: driverOperations) "
                      f"{{ {client}({', '.join(arguments)}) }}\n")

    def _form(self, argument, name):
        """The expression of a form's value."""
        values = []
        for key_name, member in self.form(argument.base):
            optional = member.type.endswith("?")
            how = "optional" if optional else "required"
            if "MultipartFile" in member.type:
                how = "files" if member.base.startswith("[") else "file"
                if member.base.startswith("MultipartFileOr"):
                    how = "fileOr"
                if optional:
                    how = "optional" + how[0].upper() + how[1:]
            values.append(f"{member.label}: try form.{how}({quoted(key_name)})")
        make = f"{{ {'form' if values else '_'} in {argument.base}({', '.join(values)}) }}"
        return f"try arguments.{'optionalForm' if argument.type.endswith('?') else 'form'}({quoted(name)}) {make}"

    def _function(self, index, method, client):
        lines = [f"func call{index}(_ client: {client}, _ arguments: Arguments) async throws -> Any {{"]
        passed = []
        for position, argument in enumerate(method.arguments):
            if argument.name == "options":
                continue
            optional = argument.type.endswith("?")
            if argument.base == "HTTPBody":
                how = "optionalBody" if optional else "body"
            else:
                how = "optional" if optional else "required"
            made = f"try arguments.{how}({quoted(argument.name)})"
            if self.form(argument.base) is not None:
                made = self._form(argument, argument.name)
            elif argument.base not in ("HTTPBody",) and not self.readable(argument.base):
                continue
            lines.append(f"    let p{position}: {argument.type} = {made}")
            passed.append(f"p{position}" if argument.label == "_" else f"{argument.label}: p{position}")
        access = "client"
        for part in method.access:
            access += "." + (self.groups.get(part) or part[0].lower() + part[1:])
        lines.append(f"    return try await {access}.{method.name}({', '.join(passed)}).value as Any")
        return "\n".join(lines) + "\n}\n\n"

    def blocked(self, method):
        """Why a method cannot be driven; None when it can."""
        for argument in method.arguments:
            if argument.name == "options" or argument.base == "HTTPBody" or self.readable(argument.base):
                continue
            if self.form(argument.base) is not None:
                continue
            if not argument.default:
                return f"an argument of the type {argument.type} is not made from JSON"
        match = re.match(r"APIResponse<(.*), [^,]*>$", method.result)
        if not match:
            return f"the result {method.result} is not read at once"
        return None


def eval_literal(literal):
    """The text of a Swift string literal."""
    return re.sub(r"\\u\{([0-9A-Fa-f]+)\}|\\(.)", lambda match: chr(int(match.group(1), 16)) if match.group(1)
                  else {"n": "\n", "t": "\t", "r": "\r", "0": "\0"}.get(match.group(2), match.group(2)), literal[1:-1])


def quoted(text):
    return '"' + "".join(c if 32 <= ord(c) < 127 and c not in '\\"' else "\\u{%x}" % ord(c) for c in text) + '"'
