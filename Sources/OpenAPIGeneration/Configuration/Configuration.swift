/// What a configuration file says about one document. Each key is in `ConfigurationKey`.
package struct Configuration: Sendable {
    /// Patterns of what to generate or to leave out, with their places.
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

    /// A value with the place of its key.
    struct Entry<Value: Sendable>: Sendable {
        let value: Value
        let position: SourcePosition
    }

    var name: String?
    var access: AccessLevel?
    /// Nil: all that is not excluded.
    var include: Filter?
    var exclude = Filter()
    /// Paths of overlays, relative to the document's folder.
    var overlays: [Entry<String>] = []
    /// The beginning of a remote reference → what stands in for it.
    var remote: [String: String] = [:]
    /// JSON pointer → Swift name.
    var names: [String: Entry<String>] = [:]
    /// Format → type.
    var formats: [String: BuiltinType] = [:]
    /// JSON pointer → type.
    var types: [String: Entry<BuiltinType>] = [:]
    /// Preferred security schemes.
    var security: [Entry<String>] = []
    /// operationId → its pages.
    var pagination: [String: Entry<PaginationOverride>] = [:]
    /// operationId → whether it takes an idempotency key.
    var idempotency: [String: Entry<Bool>] = [:]
    var hasProtocols = false
    var validation = ValidationScope.none
    var equality = EqualityKind.none
    var isStrict = false
    /// Rule → what its warnings are.
    var levels: [String: DiagnosticLevel] = [:]

    /// Nothing configured.
    package init() {}

    /// A finding as the configuration wants it; nil where it is switched off. Errors stay what they are.
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

/// Which values are checked by what the document demands of them.
enum ValidationScope: String, CaseIterable, Sendable {
    case none, requests
}

/// Whether the values of generated types can be compared.
enum EqualityKind: String, CaseIterable, Sendable {
    case none, equatable, hashable

    /// What stands in a list of conformances, before the last.
    var conformance: String {
        switch self {
        case .none: ""
        case .equatable: ", Equatable"
        case .hashable: ", Hashable"
        }
    }
}
