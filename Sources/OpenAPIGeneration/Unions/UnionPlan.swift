/// How the branch for a value of a union is selected.
enum UnionPlan {
    /// By the value of a discriminator property.
    case discriminator(Discriminator)
    /// By the JSON type, each at most once.
    case types([(type: JSONKind, choice: Choice)])

    struct Discriminator {
        let property: String
        /// Whether the values are integers; otherwise they are strings.
        let isInteger: Bool
        let cases: [(values: [String], branch: Int)]
        /// For all other values.
        var fallback: Int?
    }

    /// How a branch is selected among the branches of one JSON type.
    enum Choice {
        case only(Int)
        /// By an inferred discriminator property.
        case property(Discriminator)
        /// By all properties and elements. The constants of a property do not decide alone.
        case match(MatchTable, constants: Discriminator?)
        /// By the value itself. Decoding with `attempts` is tried first, in order.
        case values(attempts: [Int], cases: [(values: [String], branch: Int)], fallback: Int?)
    }
}

extension UnionPlan {
    /// All discriminators, declared and inferred, also those that do not decide alone.
    var discriminators: [Discriminator] {
        switch self {
        case .discriminator(let own): return [own]
        case .types(let types):
            return types.compactMap { type -> Discriminator? in
                switch type.choice {
                case .property(let own): own
                case .match(_, let constants): constants
                case .only, .values: nil
                }
            }
        }
    }
}
