"""The declarations of a generated client, as the generator lists them; and the driver that calls all of it."""

import contextlib
import io
import json
import os
import re

SIMPLE = {"String", "Int", "UInt64", "Int32", "Int64", "Double", "Float", "Decimal", "Bool", "Date", "CalendarDate", "UUID",
          "URI", "URL", "Base64Data", "JSONValue", "JSONNumber", "CalendarDuration", "AsText<Int64>", "AsText<UInt64>", "AsText<Decimal>"}


def key(name):
    """A name without what naming rules change."""
    name = re.sub(r"^\+(\d)", r"plus\1", name)
    name = re.sub(r"^-(\d)", r"minus\1", name)
    return re.sub(r"[^a-z0-9]", "", name.lower())


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
    """A parameter of a function or of an initializer."""

    def __init__(self, declared):
        self.label = declared["label"]
        self.name = declared["name"].strip("`")
        self.type = declared["type"]
        self.default = declared.get("default", "")
        self.is_body = self.label == "_" or (self.name == "body" and self.label != "body")

    @property
    def base(self):
        return self.type.rstrip("?")


class Method:
    """A method of `withResponse`, with the names of the types that lead there from the client."""

    def __init__(self, access, declared):
        self.access = access
        self.name = declared["name"]
        self.arguments = [Argument(parameter) for parameter in declared["parameters"]]
        self.result = declared.get("returns", "Void")

    @property
    def body_label(self):
        """The label of a body of another media type than the usual one; None for the usual one."""
        return next((argument.label for argument in self.arguments if argument.is_body and argument.label != "_"), None)


def members(declaration, kind):
    """The members of one kind, such as `func`."""
    return [member for member in declaration.get("members", []) if member["kind"] == kind]


def arguments(declaration):
    """The parameters of the first initializer of a struct, which takes its properties."""
    return [Argument(parameter) for parameter in members(declaration, "init")[0]["parameters"]]


class SwiftClient:
    """The declarations of one generated client."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            listed = json.load(file)
        self.namespace = listed["namespace"]
        self.types, self.places = {}, {}
        for entry in listed["types"]:
            self._add(entry["declaration"], "")
            self.places[entry["place"]] = entry["declaration"]["name"]
        client = next(one for one in listed["client"]
                      if one["kind"] == "struct" and one["name"] == self.namespace + "Client")
        self.groups = {member["type"]: member["name"].strip("`") for member in members(client, "var")}
        self.methods = self._methods(listed["operations"])
        self.forms = self._forms()
        self.has_default_server = any(
            parameter["label"] == "server" and "default" in parameter
            for initializer in members(client, "init") for parameter in initializer["parameters"])
        # None where the document has no schemes.
        self.credential_arguments = next(
            (arguments(one) for one in members(client, "struct") if one["name"] == "Credentials"), None)

    def _add(self, declaration, outer):
        """Adds a type and those inside it, by their names in the namespace."""
        self.types[outer + declaration["name"]] = declaration
        for kind in ("struct", "enum", "typealias"):
            for member in members(declaration, kind):
                self._add(member, outer + declaration["name"] + ".")

    def _methods(self, operations):
        """The methods of each operation, by `GET /path`."""
        methods = {}
        for operation in operations:
            for declaration in operation["declarations"]:
                access = declaration["name"].split(".")[1:]
                if declaration["kind"] == "extension" and access and access[-1] == "WithResponse":
                    methods[f"{operation['method']} {operation['path']}"] = [
                        Method(access, member) for member in members(declaration, "func")]
        return methods

    def _forms(self):
        """The types that are written as parts, by name: (key, argument) of each property."""
        forms = {}
        for name, declaration in self.types.items():
            if "MultipartBody" not in declaration.get("conformances", []):
                continue
            # The members with additional properties and with header fields of parts have no key.
            keys = {member["name"].strip("`"): member.get("key") for member in members(declaration, "var")}
            forms[name] = [(keys[argument.name], argument) for argument in arguments(declaration)]
        return {name: made for name, made in forms.items()
                if all("MultipartFile" in argument.type or self.readable(argument.base) for _, argument in made)
                and all(key_name is not None or ":" in argument.base or argument.type.endswith("?")
                        for key_name, argument in made)}

    def form(self, base):
        """The properties of a type that is written as parts; None for others."""
        name = self._name(base)
        alias = self.types.get(name, {}).get("value")
        return self.form(alias) if alias else self.forms.get(name)

    def _name(self, base):
        """The name of a type in the namespace; None for other types."""
        return base[len(self.namespace) + 1:] if base.startswith(self.namespace + ".") else None

    # Names of the document

    def schema_types(self, names):
        """Component → type, by the places of the types."""
        found = {}
        for name in names:
            swift = self.places.get("#/components/schemas/" + name.replace("~", "~0").replace("/", "~1"))
            if swift:
                found[name] = swift
        # What is nullable has its type at the place of the alternative that is not null.
        for name in names:
            alike = [swift for place, swift in self.places.items() if place.startswith("#/components/")
                     and key(swift) == key(name) and swift not in found.values()]
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
        declaration = self.types.get(self._name(base))
        if declaration is None:
            return False
        if declaration["kind"] == "typealias":
            return self.readable(declaration["value"])
        return not {"JSONObjectCodable", "JSONCodable", "OpenEnum"}.isdisjoint(declaration["conformances"])

    # The driver

    def credentials(self, origins):
        """The expression of credentials for all schemes, for these origins too; None where there are none."""
        if self.credential_arguments is None:
            return None
        values = []
        for argument in self.credential_arguments:
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
        return values

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
            arguments.append(f"server: {client}.Server(url: {quoted(server)})")
        if made is not None:
            arguments.append(f"credentials: {client}.Credentials({', '.join(made)})")
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
        known = ", ".join(quoted(key_name) for key_name, _ in self.form(argument.base) if key_name is not None)
        for key_name, member in self.form(argument.base):
            if key_name is None:
                # A header field of a part.
                if ":" not in member.base:
                    continue
                if "MultipartFileOr" not in member.type:
                    how = "otherFiles" if "MultipartFile" in member.type else "others"
                    values.append(f"{member.label}: try form.{how}(but: [{known}])")
                continue
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
        if not method.result.startswith("APIResponse<"):
            return f"the result {method.result} is not read at once"
        return None


def quoted(text):
    return '"' + "".join(c if 32 <= ord(c) < 127 and c not in '\\"' else "\\u{%x}" % ord(c) for c in text) + '"'
