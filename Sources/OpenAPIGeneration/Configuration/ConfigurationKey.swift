/// One key of a configuration file. The table of all of them is what is read, refused and documented.
package struct ConfigurationKey: Sendable {
    /// What a value may be.
    package enum Kind: Sendable {
        case text
        case flag
        /// One of these words.
        case choice([String])
        /// A list of texts.
        case list
        /// A mapping of anything to one of these words, or to any text where there are none.
        case map([String])
        /// A mapping of operations to flags.
        case flags
        /// A mapping of operations to `false` or to an object with these keys.
        case objects([String])
    }

    /// The way to it: `include.tags`.
    package let path: String
    /// What its value may be.
    package let kind: Kind
    /// What holds without it.
    package let fallback: String
    /// What it does, in one sentence or two.
    package let text: String

    /// All keys, in reading order.
    package static let all: [ConfigurationKey] = [
        .init(
            path: "name", kind: .text, fallback: "by the file's name",
            text: "The namespace of the generated types and the beginning of `<name>Client`."),
        .init(
            path: "access", kind: .choice(AccessLevel.allCases.map(\.rawValue)), fallback: "`public`",
            text: "Who sees the generated declarations."),
        .init(
            path: "include.tags", kind: .list, fallback: "all",
            text: "Tags whose operations are generated. `*` stands for any text, here and below."),
        .init(
            path: "include.paths", kind: .list, fallback: "all", text: "Paths whose operations are generated."
        ),
        .init(
            path: "include.operations", kind: .list, fallback: "all",
            text: "Operations that are generated, by operationId."),
        .init(
            path: "include.schemas", kind: .list, fallback: "what operations reach",
            text: "Components' schemas that are generated though no operation needs them."),
        .init(
            path: "exclude.tags", kind: .list, fallback: "none", text: "Tags whose operations are left out."),
        .init(
            path: "exclude.paths", kind: .list, fallback: "none",
            text: "Paths whose operations are left out."),
        .init(
            path: "exclude.operations", kind: .list, fallback: "none",
            text: "Operations that are left out, by operationId."),
        .init(
            path: "exclude.schemas", kind: .list, fallback: "none",
            text: "Components' schemas that are left out; where one is still needed, any JSON value is taken."
        ),
        .init(
            path: "overlays", kind: .list, fallback: "none",
            text: "Files with OpenAPI Overlays 1.0, applied in this order."),
        .init(
            path: "references.remote", kind: .map([]), fallback: "refused",
            text: "The beginning of a remote reference, and the file or folder that stands in for it."),
        .init(
            path: "names", kind: .map([]), fallback: "by the document",
            text: "The place of a schema or operation as a JSON pointer, and its Swift name."),
        .init(
            path: "formats", kind: .map(BuiltinType.names), fallback: "by the document",
            text: "A `format`, and the Swift type of the values that have it."),
        .init(
            path: "types", kind: .map(BuiltinType.names), fallback: "by the document",
            text: "The place of a schema as a JSON pointer, and the Swift type of its values."),
        .init(
            path: "security", kind: .list, fallback: "the document's order",
            text:
                "Names of security schemes: alternatives that need only these are tried first, in this order."
        ),
        .init(
            path: "pagination", kind: .objects(PaginationOverride.keys), fallback: "inferred",
            text:
                "An operationId, and `false` or how its pages follow one another: `kind` (`cursor`, `offset`, `page`, `url`,"
                + " `link`), `parameter`, `items`, `next`. The last two may lead deeper, as `meta.next`; a parameter that"
                + " is none of the query's is a property of the JSON body."
        ),
        .init(
            path: "idempotency", kind: .flags, fallback: "by the document",
            text: "An operationId, and whether its calls carry an `Idempotency-Key`."),
        .init(
            path: "protocols", kind: .flag, fallback: "`false`",
            text: "Whether each group of operations has a protocol, for fakes in tests."),
        .init(
            path: "equality", kind: .choice(EqualityKind.allCases.map(\.rawValue)), fallback: "`none`",
            text:
                "Whether the types are `Equatable`, or `Hashable` too; forms with files never are. It costs a third more code."
        ),
        .init(
            path: "validation", kind: .choice(ValidationScope.allCases.map(\.rawValue)), fallback: "`none`",
            text:
                "Whether values that break the document's bounds, patterns and enums are refused before they are sent."
        ),
        .init(
            path: "strict", kind: .flag, fallback: "`false`", text: "Whether every warning is an error."),
        .init(
            path: "diagnostics", kind: .map(DiagnosticLevel.allCases.map(\.rawValue)),
            fallback: "`warning`",
            text: "A rule, and what its warnings are. It comes before `strict`; errors stay errors."),
    ]

    /// The keys for a terminal.
    package static var help: String {
        all.reduce(into: "") {
            let pad = String(repeating: " ", count: max(1, 20 - $1.path.utf8.count))
            $0 += "  " + $1.path + pad + $1.text + "\n"
            $0 +=
                String(repeating: " ", count: 22)
                + ($1.kind.words + "; else " + $1.fallback).filter { $0 != "`" }
                + "\n"
        }
    }

    /// The table as it stands in the documentation.
    package static var table: String {
        let head = "| Key | Value | Without it | What it does |\n|---|---|---|---|\n"
        return all.reduce(into: head) {
            $0 += "| `\($1.path)` | \($1.kind.words) | \($1.fallback) | \($1.text) |\n"
        }
    }
}

extension ConfigurationKey.Kind {
    /// The kind for people.
    var words: String {
        func alternatives(_ words: [String]) -> String {
            words.map { "`" + $0 + "`" }.joined(separator: ", ")
        }
        switch self {
        case .text: return "text"
        case .flag: return "`true`, `false`"
        case .choice(let words): return alternatives(words)
        case .list: return "list of texts"
        case .map([]): return "mapping to texts"
        case .map(let words): return "mapping to " + alternatives(words)
        case .flags: return "mapping to `true`, `false`"
        case .objects(let keys): return "mapping to `false` or an object of " + alternatives(keys)
        }
    }
}

/// What a warning of a rule is.
package enum DiagnosticLevel: String, CaseIterable, Sendable {
    case error, warning, off
}
