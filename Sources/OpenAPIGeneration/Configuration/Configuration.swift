/// The configuration of one document. `ConfigurationKey` documents the keys.
package struct Configuration: Sendable {
    /// Patterns of what to include or exclude, with their positions.
    struct Filter: Sendable {
        struct Pattern: Sendable {
            let text: String
            let position: SourcePosition
        }

        var tags: [Pattern] = []
        var paths: [Pattern] = []
        var operations: [Pattern] = []
        var schemas: [Pattern] = []
    }

    /// A value with the position of its key.
    struct Entry<Value: Sendable>: Sendable {
        let value: Value
        let position: SourcePosition
    }

    var name: String?
    var access: AccessLevel?
    /// Nil: everything except the excluded items.
    var include: Filter?
    var exclude = Filter()
    /// Paths of overlays, relative to the document's folder.
    var overlays: [Entry<String>] = []
    /// Prefix of remote references → local replacement.
    var remote = [String: String]()
    /// JSON pointer → Swift name.
    var names = [String: Entry<String>]()
    /// Format → type.
    var formats = [String: Entry<TypeChoice>]()
    /// JSON pointer → type.
    var types = [String: Entry<TypeChoice>]()
    /// Preferred security schemes.
    var security: [Entry<String>] = []
    /// operationId → pagination.
    var pagination = [String: Entry<PaginationOverride>]()
    /// operationId → whether the operation accepts an idempotency key.
    var idempotency = [String: Entry<Bool>]()
    /// The schemas whose types are both encoded and decoded.
    var bothDirections = SchemaScope.none
    /// The schemas whose models keep properties that the document does not define.
    var unknownProperties = SchemaScope.none
    var hasProtocols = false
    var validation = ValidationScope.none
    var equality = EqualityKind.equatable
    var isStrict = false
    /// Rule → severity of its warnings.
    var levels = [String: DiagnosticLevel]()

    /// An empty configuration.
    package init() {}

    /// The types of the user that it names, by their marks in the configured document.
    var ownTypes: [String: OwnType] {
        let own = (Array(formats.values) + types.values).compactMap(\.value.own)
        return Dictionary(own.map { ($0.mark, $0) }) { first, _ in first }
    }

    /// The diagnostic with its configured severity. Nil if it is switched off. Errors are not changed.
    func adjusted(_ diagnostic: Diagnostic) -> Diagnostic? {
        guard diagnostic.severity == .warning else { return diagnostic }
        var result = diagnostic
        switch levels[diagnostic.rule.name] ?? (isStrict ? .error : .warning) {
        case .off: return nil
        case .warning: return diagnostic
        case .error:
            result.severity = .error
            return result
        }
    }
}

/// Which values are validated against the schemas.
enum ValidationScope: String, CaseIterable, Sendable {
    case none, requests
}

/// The equality conformance of generated types.
enum EqualityKind: String, CaseIterable, Sendable {
    case none, equatable, hashable

    /// The conformances that it adds.
    var conformances: [String] {
        switch self {
        case .none: []
        case .equatable: ["Equatable"]
        case .hashable: ["Hashable"]
        }
    }
}
