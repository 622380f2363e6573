/// What an operation demands, in disjunctive normal form: one of the alternatives, each with all of its schemes.
struct SecurityRequirements: Hashable, Sendable {
    /// A scheme by its name, with the scopes that the operation needs of it.
    struct Scheme: Hashable, Sendable {
        let name: String
        let scopes: [String]
    }

    let alternatives: [[Scheme]]

    /// Reads the descriptor's notation: alternatives by line, schemes by tab, each followed by its scopes, by space.
    init(_ text: String) {
        alternatives = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            line.split(separator: "\t").compactMap { scheme in
                let words = scheme.split(separator: " ").map(String.init)
                guard let name = words.first else { return nil }
                return Scheme(name: name, scopes: Set(words.dropFirst()).sorted())
            }
        }
    }

    /// The first alternative that is configured throughout.
    ///
    /// The empty alternative means that the operation works without credentials; where there are some, they are
    /// used nevertheless.
    func selected(where isConfigured: (Scheme) -> Bool) -> Selection {
        if let alternative = alternatives.first(where: { !$0.isEmpty && $0.allSatisfy(isConfigured) }) {
            return .use(alternative)
        }
        return alternatives.contains { $0.isEmpty } ? .anonymous : .missing
    }

    enum Selection: Hashable {
        case use([Scheme])
        case anonymous
        case missing
    }

    /// The alternatives for people: `bookshopAuth (books:read), or partnerToken`.
    var phrase: String {
        alternatives.filter { !$0.isEmpty }.map { alternative in
            alternative.map { scheme in
                scheme.scopes.isEmpty
                    ? scheme.name : "\(scheme.name) (\(scheme.scopes.joined(separator: " ")))"
            }.joined(separator: " with ")
        }.joined(separator: ", or ")
    }
}
