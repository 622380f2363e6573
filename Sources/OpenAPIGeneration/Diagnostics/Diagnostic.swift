/// A diagnostic about a document: message, severity, rule and position.
///
/// Rules are stable, so that tools can match them. Messages may change.
package struct Diagnostic: Error, Hashable, Sendable {
    /// The severity of a diagnostic.
    package enum Severity: String, Hashable, Sendable {
        /// Nothing is generated.
        case error
        /// Code is generated, but it does not cover everything in the document.
        case warning
    }

    /// Additional information, with its own position.
    package struct Note: Hashable, Sendable {
        /// The message.
        package var message: String
        /// The position. Nil: the whole document.
        package var position: SourcePosition?
    }

    /// The severity.
    package var severity: Severity
    /// The rule that was broken.
    package var rule: Rule
    /// The message, in one line.
    package var message: String
    /// The position. Nil: the whole document.
    package var position: SourcePosition?
    /// Additional information, in reading order.
    package var notes: [Note] = []

    /// An error: nothing is generated.
    @inline(never)
    package static func error(
        _ rule: Rule, _ message: String, at position: SourcePosition?, notes: [Note] = []
    ) -> Diagnostic {
        Diagnostic(severity: .error, rule: rule, message: message, position: position, notes: notes)
    }

    /// A warning: part of the document is not in the generated code.
    @inline(never)
    package static func warning(
        _ rule: Rule, _ message: String, at position: SourcePosition?, notes: [Note] = []
    ) -> Diagnostic {
        Diagnostic(severity: .warning, rule: rule, message: message, position: position, notes: notes)
    }
}

extension Diagnostic {
    /// The kind of a diagnostic. Names are stable.
    package struct Rule: Hashable, Sendable {
        /// The name, as printed in brackets.
        package let name: String

        private init(_ name: String) { self.name = name }

        /// The file cannot be read.
        package static let unreadableFile = Rule("unreadable-file")
        /// The bytes are not UTF-8.
        package static let encoding = Rule("encoding")
        /// The text is not JSON.
        package static let jsonSyntax = Rule("json-syntax")
        /// The text is not YAML.
        package static let yamlSyntax = Rule("yaml-syntax")
        /// A mapping has a duplicate key.
        package static let duplicateKey = Rule("duplicate-key")
        /// A limit is exceeded, such as the nesting depth.
        package static let limit = Rule("limit")
        /// Missing, unknown or unsupported `openapi` version.
        package static let version = Rule("version")
        /// A value has the wrong type, or a required value is missing.
        package static let structure = Rule("structure")
        /// A keyword that the specification does not define for this object.
        package static let unknownKeyword = Rule("unknown-keyword")
        /// A keyword that has no effect in its place.
        package static let ignoredKeyword = Rule("ignored-keyword")
        /// A `$ref` that cannot be resolved.
        package static let unresolvedReference = Rule("unresolved-reference")
        /// A cycle of `$ref`s.
        package static let circularReference = Rule("circular-reference")
        /// A `$ref` to a file that must not be read.
        package static let externalReference = Rule("external-reference")
        /// A schema or keyword that is not supported; often replaced by `JSONValue`.
        package static let unsupportedSchema = Rule("unsupported-schema")
        /// A union whose branches cannot be distinguished reliably.
        package static let ambiguousUnion = Rule("ambiguous-union")
        /// Schemas in `allOf`, or literals and their `type`, that contradict each other.
        package static let conflictingSchema = Rule("conflicting-schema")
        /// An operation, or a part of one, that is not generated.
        package static let unsupportedOperation = Rule("unsupported-operation")
        /// A parameter that is not generated or is sent in a different style.
        package static let unsupportedParameter = Rule("unsupported-parameter")
        /// A media type that is not supported.
        package static let unsupportedMediaType = Rule("unsupported-media-type")
        /// A security scheme that is not supported.
        package static let unsupportedSecurity = Rule("unsupported-security")
        /// Two declarations with the same name.
        package static let nameCollision = Rule("name-collision")
        /// A generated file that cannot be written.
        package static let unwritableFile = Rule("unwritable-file")
        /// An invalid configuration.
        package static let configuration = Rule("configuration")
        /// An overlay that cannot be applied or has no effect.
        package static let overlay = Rule("overlay")
        /// An invalid lock file.
        package static let lock = Rule("lock")

        /// All rules, for `diagnostics` in the configuration.
        package static let all: [Rule] = [
            .unreadableFile, .encoding, .jsonSyntax, .yamlSyntax, .duplicateKey, .limit, .version, .structure,
            .unknownKeyword, .ignoredKeyword, .unresolvedReference, .circularReference, .externalReference,
            .unsupportedSchema, .ambiguousUnion, .conflictingSchema, .unsupportedOperation,
            .unsupportedParameter, .unsupportedMediaType, .unsupportedSecurity, .nameCollision,
            .unwritableFile, .configuration, .overlay, .lock,
        ]
    }
}
