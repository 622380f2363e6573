/// One finding about a document: what is wrong, how bad it is, and where.
///
/// The rule is the contract: tools match it. The text is for people and may change.
package struct Diagnostic: Error, Hashable, Sendable {
    /// How bad a finding is.
    package enum Severity: String, Hashable, Sendable {
        /// Nothing is generated.
        case error
        /// Something is generated, but not all that the document says.
        case warning
    }

    /// An addition to a finding, with a place of its own.
    package struct Note: Hashable, Sendable {
        /// What to know.
        package var message: String
        /// Where, or nil for the whole document.
        package var position: SourcePosition?
    }

    /// How bad it is.
    package var severity: Severity
    /// The rule that was broken.
    package var rule: Rule
    /// What is wrong, in one line.
    package var message: String
    /// Where, or nil for the whole document.
    package var position: SourcePosition?
    /// What else to know, in reading order.
    package var notes: [Note] = []

    /// An error: nothing is generated.
    package static func error(
        _ rule: Rule, _ message: String, at position: SourcePosition?, notes: [Note] = []
    ) -> Diagnostic {
        Diagnostic(severity: .error, rule: rule, message: message, position: position, notes: notes)
    }

    /// A warning: something of the document is not in the generated code.
    package static func warning(
        _ rule: Rule, _ message: String, at position: SourcePosition?, notes: [Note] = []
    ) -> Diagnostic {
        Diagnostic(severity: .warning, rule: rule, message: message, position: position, notes: notes)
    }
}

extension Diagnostic {
    /// What a finding is about. A name once given stays.
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
        /// A mapping holds one key twice.
        package static let duplicateKey = Rule("duplicate-key")
        /// Nesting or alias expansion beyond the bound.
        package static let limit = Rule("limit")
        /// Missing, unknown or unsupported `openapi` version.
        package static let version = Rule("version")
        /// A value of the wrong kind, or a required one that is absent.
        package static let structure = Rule("structure")
        /// A keyword that the specification does not have there.
        package static let unknownKeyword = Rule("unknown-keyword")
        /// A keyword that says nothing where it stands.
        package static let ignoredKeyword = Rule("ignored-keyword")
        /// A `$ref` that leads nowhere.
        package static let unresolvedReference = Rule("unresolved-reference")
        /// `$ref`s that lead to one another only.
        package static let circularReference = Rule("circular-reference")
        /// A `$ref` out of the document.
        package static let externalReference = Rule("external-reference")
        /// A schema that Swift types cannot say; it became `JSONValue`.
        package static let unsupportedSchema = Rule("unsupported-schema")
        /// A union whose branches cannot be told apart.
        package static let ambiguousUnion = Rule("ambiguous-union")
        /// Members of `allOf` that contradict one another.
        package static let conflictingSchema = Rule("conflicting-schema")
        /// An operation, or a part of one, that is left out.
        package static let unsupportedOperation = Rule("unsupported-operation")
        /// A parameter that is left out or sent otherwise than the document says.
        package static let unsupportedParameter = Rule("unsupported-parameter")
        /// A media type that is left out.
        package static let unsupportedMediaType = Rule("unsupported-media-type")
        /// A security scheme that the runtime has no credentials for.
        package static let unsupportedSecurity = Rule("unsupported-security")
        /// A server that is left out.
        package static let unsupportedServer = Rule("unsupported-server")
        /// Two things that want one name.
        package static let nameCollision = Rule("name-collision")
        /// A generated file that cannot be written.
        package static let unwritableFile = Rule("unwritable-file")
        /// A configuration file that says what cannot be.
        package static let configuration = Rule("configuration")
        /// An overlay that cannot be applied, or changes nothing.
        package static let overlay = Rule("overlay")
        /// A file of locked names that cannot be read.
        package static let lock = Rule("lock")

        /// Every rule, as a configuration may name it.
        package static let all: [Rule] = [
            .unreadableFile, .encoding, .jsonSyntax, .yamlSyntax, .duplicateKey, .limit, .version, .structure,
            .unknownKeyword, .ignoredKeyword, .unresolvedReference, .circularReference, .externalReference,
            .unsupportedSchema, .ambiguousUnion, .conflictingSchema, .unsupportedOperation,
            .unsupportedParameter, .unsupportedMediaType, .unsupportedSecurity, .unsupportedServer,
            .nameCollision, .unwritableFile,
            .configuration, .overlay, .lock,
        ]
    }
}
