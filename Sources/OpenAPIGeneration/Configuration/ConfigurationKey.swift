/// One key of a configuration file. The table of all keys drives parsing, validation and documentation.
package struct ConfigurationKey: Sendable {
    /// The kind of a value.
    package enum Kind: Sendable {
        case text
        case flag
        /// One of these words.
        case choice([String])
        /// A list of strings.
        case list
        /// A mapping to one of these words, or to any string if there are no words.
        case map([String])
        /// One of these words for the document, or a mapping of JSON Pointers of schemas to the last of them.
        case scope([String])
        /// A mapping to one of these Swift types or to a type of the user.
        case types([String])
        /// A mapping of operations to flags.
        case flags
        /// A mapping of operations to `false` or to an object with these keys.
        case objects([String])
    }

    /// The dotted path: `include.tags`.
    package let path: String
    /// The allowed values.
    package let kind: Kind
    /// The default, as text.
    package let fallback: String
    /// The description, one or two sentences.
    package let text: String
    /// Stores a valid value.
    let set: @Sendable (ConfigurationReader, Node, inout Configuration) -> Void

    /// All keys, in reading order.
    package static let all: [ConfigurationKey] = [
        .init(
            path: "name", kind: .text, fallback: "from the file name",
            text: "The namespace of the generated types, and the prefix of `<name>Client`.",
            set: { $0.name($1, &$2) }),
        .init(
            path: "access", kind: .choice(AccessLevel.allCases.map(\.rawValue)), fallback: "`public`",
            text: "Access level of the generated declarations.",
            set: { $2.access = $1.string.flatMap { AccessLevel(rawValue: $0) } }),
        .init(
            path: "include.tags", kind: .list, fallback: "all",
            text: "Tags whose operations are generated. `*` matches any text, also in the keys below.",
            set: { $2.include?.tags = $0.patterns($1) }),
        .init(
            path: "include.paths", kind: .list, fallback: "all",
            text: "Paths whose operations are generated.", set: { $2.include?.paths = $0.patterns($1) }),
        .init(
            path: "include.operations", kind: .list, fallback: "all",
            text: "Operations that are generated, by `operationId`.",
            set: { $2.include?.operations = $0.patterns($1) }),
        .init(
            path: "include.schemas", kind: .list, fallback: "schemas that operations use",
            text: "Component schemas that are generated even if no operation uses them.",
            set: { $2.include?.schemas = $0.patterns($1) }),
        .init(
            path: "exclude.tags", kind: .list, fallback: "none",
            text: "Tags whose operations are not generated.", set: { $2.exclude.tags = $0.patterns($1) }),
        .init(
            path: "exclude.paths", kind: .list, fallback: "none",
            text: "Paths whose operations are not generated.", set: { $2.exclude.paths = $0.patterns($1) }),
        .init(
            path: "exclude.operations", kind: .list, fallback: "none",
            text: "Operations that are not generated, by `operationId`.",
            set: { $2.exclude.operations = $0.patterns($1) }),
        .init(
            path: "exclude.schemas", kind: .list, fallback: "none",
            text: "Component schemas that are not generated; remaining references fall back to `JSONValue`.",
            set: { $2.exclude.schemas = $0.patterns($1) }),
        .init(
            path: "overlays", kind: .list, fallback: "none",
            text: "OpenAPI Overlay 1.0 files, applied in this order.", set: { $2.overlays = $0.texts($1) }),
        .init(
            path: "references.remote", kind: .map([]), fallback: "an error",
            text: "Prefix of remote references, and the local file or folder that replaces it.",
            set: { for member in $1.members { $2.remote[member.key] = member.value.string } }),
        .init(
            path: "names", kind: .map([]), fallback: "from the document",
            text: "JSON Pointer of a schema or operation, and its Swift name.", set: { $0.names($1, &$2) }),
        .init(
            path: "formats", kind: .types(BuiltinType.names), fallback: "from the document",
            text: "A `format`, and the Swift type of its values.",
            set: { $2.formats = $0.entries($1) { TypeChoice($0) } }),
        .init(
            path: "types", kind: .types(BuiltinType.names), fallback: "from the document",
            text: "JSON Pointer of a schema, and the Swift type of its values.",
            set: { $2.types = $0.entries($1, at: $0.place) { TypeChoice($0) } }),
        .init(
            path: "security", kind: .list, fallback: "the document's order",
            text:
                "Preferred security schemes: alternatives that use only these are tried first, in this order.",
            set: { $2.security = $0.texts($1) }),
        .init(
            path: "pagination", kind: .objects(PaginationOverride.keys), fallback: "inferred",
            text:
                "An `operationId`, and `false` (no pagination) or an object: `kind` (`cursor`, `offset`, `page`, `url`,"
                + " `link`), `parameter`, `items`, `next`. `items` and `next` can be nested, as `meta.next`."
                + " A `parameter` that is not a query parameter is a property of the JSON body.",
            set: { $2.pagination = $0.entries($1) { PaginationOverride($0) } }),
        .init(
            path: "idempotency", kind: .flags, fallback: "from the document",
            text:
                "An `operationId`, and whether its calls send an `Idempotency-Key`. A key that the document defines keeps its form.",
            set: { $2.idempotency = $0.entries($1) { $0.bool } }),
        .init(
            path: "directions", kind: .scope(["pruned", "both"]), fallback: "`pruned`",
            text:
                "`both`: every type can be encoded and decoded; `pruned`: as its operations use it. For the document, or for"
                + " the schemas at JSON Pointers and the types that they use. Multipart bodies are only encoded."
                + " Adds up to a third to the code.",
            set: { $2.bothDirections = $0.scope($1, word: "both") }),
        .init(
            path: "unknownProperties", kind: .scope(["drop", "keep"]), fallback: "`drop`",
            text:
                "`keep`: models keep properties that the document does not define, and encode them again. For the document,"
                + " or for the schemas at JSON Pointers and the types that they use. No effect on objects with"
                + " `additionalProperties`.",
            set: { $2.unknownProperties = $0.scope($1, word: "keep") }),
        .init(
            path: "protocols", kind: .flag, fallback: "`false`",
            text: "Whether to generate a protocol for each group of operations, for fakes in tests.",
            set: { $2.hasProtocols = $1.bool ?? false }),
        .init(
            path: "equality", kind: .choice(EqualityKind.allCases.map(\.rawValue)), fallback: "`equatable`",
            text:
                "Whether generated types conform to `Equatable` or `Hashable`; multipart bodies with files never do. `equatable` adds about a fifth to the code and its compile time, `hashable` a third: `none` is for very large documents.",
            set: { $2.equality = $1.string.flatMap { EqualityKind(rawValue: $0) } ?? .equatable }),
        .init(
            path: "validation", kind: .choice(ValidationScope.allCases.map(\.rawValue)), fallback: "`none`",
            text:
                "`requests`: values are validated against the bounds, patterns and enums of the document before they are sent.",
            set: { $2.validation = $1.string.flatMap { ValidationScope(rawValue: $0) } ?? .none }),
        .init(
            path: "strict", kind: .flag, fallback: "`false`", text: "Whether all warnings are errors.",
            set: { $2.isStrict = $1.bool ?? false }),
        .init(
            path: "diagnostics", kind: .map(DiagnosticLevel.allCases.map(\.rawValue)),
            fallback: "`warning`",
            text:
                "A rule, and the severity of its warnings. Overrides `strict`. The severity of errors cannot be changed.",
            set: { $0.levels($1, &$2) }),
    ]

    /// The keys, formatted for a terminal.
    package static var help: String {
        all.reduce(into: "") {
            let pad = String(repeating: " ", count: max(1, 20 - $1.path.utf8.count))
            $0 += "  " + $1.path + pad + $1.text + "\n"
            $0 +=
                String(repeating: " ", count: 22)
                + ($1.kind.words + "; default: " + $1.fallback).filter { $0 != "`" }
                + "\n"
        }
    }

    /// The Markdown table for the documentation.
    package static var table: String {
        let head = "| Key | Value | Default | Description |\n|---|---|---|---|\n"
        return all.reduce(into: head) {
            $0 += "| `\($1.path)` | \($1.kind.words) | \($1.fallback) | \($1.text) |\n"
        }
    }
}

extension ConfigurationKey.Kind {
    /// The kind, as text.
    var words: String {
        func alternatives(_ words: [String]) -> String {
            words.map { "`" + $0 + "`" }.joined(separator: ", ")
        }
        switch self {
        case .text: return "string"
        case .flag: return "`true`, `false`"
        case .choice(let words): return alternatives(words)
        case .list: return "list of strings"
        case .map([]): return "mapping to strings"
        case .map(let words): return "mapping to " + alternatives(words)
        case .types(let words):
            return "mapping to " + alternatives(words)
                + ", or a type of your own (`Module.Type`, `Type`, or an object of "
                + alternatives(OwnType.keys) + ")"
        case .scope(let words):
            return alternatives(words) + ", or a mapping to " + alternatives(words.suffix(1))
        case .flags: return "mapping to `true`, `false`"
        case .objects(let keys): return "mapping to `false` or an object of " + alternatives(keys)
        }
    }
}

/// The severity of a rule's warnings.
package enum DiagnosticLevel: String, CaseIterable, Sendable {
    case error, warning, off
}
