/// One entry of a row of the table of rules.
enum RuleEntry: Equatable {
    case bound(String, String)
    /// The values, as a JSON array.
    case values(String)
    case property(Int, String)
    case applied(Applicator, Int)
    case others(Int)
    case matching(Int, String)
    /// By its position.
    case element(Int, Int)
    case all(Int)
    case any(Int)
    /// All JSON types of a value, in a row that decides whether a schema matches.
    case types([String])
    /// A schema that a value must not match, that decides between two others, or that elements or names match.
    case test(Test, Int)
    /// For an object with this property.
    case dependent(Int, String)
    case type(String)
    case need(String)
    case by(String)
    case when(Int, String)

    /// The keyword of a schema that applies by itself, not to parts of a value.
    enum Test: String {
        case not, contains, propertyNames
        /// The branches only restrict a value.
        case oneOf, anyOf
        case condition = "if"
        case then, otherwise = "else"
    }

    /// The target row.
    var target: Int? {
        switch self {
        case .property(let row, _), .applied(_, let row), .others(let row), .matching(let row, _),
            .element(let row, _), .test(_, let row), .dependent(let row, _),
            .all(let row), .any(let row), .when(let row, _):
            row
        case .bound, .values, .types, .type, .need, .by: nil
        }
    }

    /// Whether the target is a branch of a union, or a part of a branch.
    var isBranch: Bool {
        switch self {
        case .all, .any, .when: true
        case .bound, .values, .property, .applied, .others, .matching, .element, .types, .test, .dependent,
            .type, .need, .by:
            false
        }
    }

    /// Whether the target decides whether a value matches.
    var isTest: Bool {
        switch self {
        case .test, .dependent: true
        case .bound, .values, .property, .applied, .others, .matching, .element, .types, .all, .any, .type,
            .need, .by, .when:
            false
        }
    }

    /// Whether it is only used to select a branch.
    var isMark: Bool {
        switch self {
        case .type, .need: true
        case .bound, .values, .property, .applied, .others, .matching, .element, .types, .test, .dependent,
            .all, .any, .by, .when:
            false
        }
    }

    /// The text for the runtime, with the final number of the target.
    func text(_ row: Int?) -> String {
        let row = row.map { String($0) } ?? ""
        return switch self {
        case .bound(let keyword, let bound): keyword + " " + bound
        case .values(let array): "enum " + array
        case .property(_, let name): "property " + row + " " + name
        case .applied(let applicator, _): applicator.rawValue + " " + row
        case .others: "values " + row
        case .matching(_, let pattern): "matching " + row + " " + pattern
        case .element(_, let position): "element " + row + " " + String(position)
        case .types(let names): "types " + names.joined(separator: " ")
        case .test(let keyword, _): keyword.rawValue + " " + row
        case .dependent(_, let name): "dependent " + row + " " + name
        case .all: "all " + row
        case .any: "any " + row
        case .type(let name): "type " + name
        case .need(let name): "need " + name
        case .by(let name): "by " + name
        case .when(_, let value): "when " + row + " " + value
        }
    }
}
