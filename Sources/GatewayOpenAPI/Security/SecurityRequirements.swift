internal import GatewayPatterns

/// The requirements of an operation in disjunctive normal form: alternatives, each of which requires all of its
/// schemes.
struct SecurityRequirements: Hashable, Sendable {
    /// The name of a scheme, and the scopes that the operation requires of it.
    struct Scheme: Hashable, Sendable {
        let id: ExactText
        let scopes: [String]

        var name: String { id.text }
    }

    let alternatives: [[Scheme]]

    /// Reads the notation of ``OperationDescriptor``: one alternative per line, schemes separated by tabs, each
    /// followed by its scopes, separated by spaces. U+0001 in the name of a scheme represents a space.
    init(_ text: String) {
        alternatives = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            line.split(separator: "\t").compactMap { scheme in
                let words = scheme.split(separator: " ").map(String.init)
                guard let name = words.first?.replacing("\u{1}", with: " ") else { return nil }
                return Scheme(id: ExactText(name), scopes: Set(words.dropFirst()).sorted())
            }
        }
    }

    /// Whether no alternative has a scheme: the operation is called without credentials.
    var isEmpty: Bool { alternatives.allSatisfy(\.isEmpty) }

    /// Whether the operation works without credentials.
    var isOptional: Bool { alternatives.contains { $0.isEmpty } }

    /// The alternative to use. Of the alternatives that are completely configured, it is the first with a preferred
    /// scheme, otherwise the first.
    ///
    /// An empty alternative means that the operation works without credentials. Configured credentials are used
    /// nevertheless.
    func selected(preferring preferred: [String], where isConfigured: (Scheme) -> Bool) -> Selection {
        let configured = alternatives.filter { !$0.isEmpty && $0.allSatisfy(isConfigured) }
        for name in preferred {
            if let alternative = configured.first(where: { $0.contains { $0.name.isSame(as: name) } }) {
                return .use(alternative)
            }
        }
        if let alternative = configured.first { return .use(alternative) }
        return isOptional ? .anonymous : .missing
    }

    enum Selection: Hashable {
        case use([Scheme])
        case anonymous
        case missing
    }

    /// A text of the alternatives for messages: `bookshopAuth (oauth2: books:read), or partnerToken (http bearer)`.
    ///
    /// - Parameter note: returns the kind or state of a scheme.
    func phrase(_ note: (Scheme) -> String) -> String {
        alternatives.filter { !$0.isEmpty }.map { alternative in
            alternative.map { scheme in
                let scopes = scheme.scopes.isEmpty ? "" : ": \(scheme.scopes.joined(separator: " "))"
                return "\(scheme.name) (\(note(scheme))\(scopes))"
            }.joined(separator: " with ")
        }.joined(separator: ", or ")
    }
}
