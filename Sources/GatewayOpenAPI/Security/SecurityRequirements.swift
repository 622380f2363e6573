/// What an operation demands, in disjunctive normal form: one of the alternatives, each with all of its schemes.
struct SecurityRequirements: Hashable, Sendable {
    /// A scheme by its name, with the scopes that the operation needs of it.
    struct Scheme: Hashable, Sendable {
        let name: String
        let scopes: [String]
    }

    let alternatives: [[Scheme]]

    /// Reads the descriptor's notation: alternatives by line, schemes by tab, each followed by its scopes, by space. U+0001 in a
    /// scheme's name is a space.
    init(_ text: String) {
        alternatives = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            line.split(separator: "\t").compactMap { scheme in
                let words = scheme.split(separator: " ").map(String.init)
                guard let name = words.first?.replacing("\u{1}", with: " ") else { return nil }
                return Scheme(name: name, scopes: Set(words.dropFirst()).sorted())
            }
        }
    }

    /// Whether the operation works without credentials.
    var isOptional: Bool { alternatives.contains { $0.isEmpty } }

    /// The alternative that serves: of those that are configured throughout the first with a scheme that is preferred,
    /// else the first.
    ///
    /// The empty alternative means that the operation works without credentials; where there are some, they are
    /// used nevertheless.
    func selected(preferring preferred: [String], where isConfigured: (Scheme) -> Bool) -> Selection {
        let configured = alternatives.filter { !$0.isEmpty && $0.allSatisfy(isConfigured) }
        for name in preferred {
            if let alternative = configured.first(where: { $0.contains { $0.name == name } }) {
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

    /// The alternatives for people: `bookshopAuth (oauth2: books:read), or partnerToken (http bearer)`.
    ///
    /// - Parameter note: says what a scheme is, or how it stands.
    func phrase(_ note: (Scheme) -> String) -> String {
        alternatives.filter { !$0.isEmpty }.map { alternative in
            alternative.map { scheme in
                let scopes = scheme.scopes.isEmpty ? "" : ": \(scheme.scopes.joined(separator: " "))"
                return "\(scheme.name) (\(note(scheme))\(scopes))"
            }.joined(separator: " with ")
        }.joined(separator: ", or ")
    }
}
