/// How a value of a union finds its branch.
enum UnionPlan {
    /// By the value of a property that says it.
    case discriminator(property: String, cases: [(values: [String], branch: Int)])
    /// By the JSON type, each at most once.
    case types([(type: JSONKind, choice: Choice)])

    /// Among the branches of one JSON type.
    enum Choice {
        case only(Int)
        /// By the presence of a key that only this branch has.
        case keys([(key: String, branch: Int)])
    }
}

/// The types of JSON values that a parser tells apart.
enum JSONKind: String, CaseIterable {
    case string, number, bool, array, object
}
