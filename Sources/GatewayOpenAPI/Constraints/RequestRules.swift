internal import GatewayPatterns

/// The constraints that a document places on request values, as a table. Each schema with constraints on itself or on
/// nested values has one row.
///
/// Each line is a row. Its entries are separated by tabs. An entry is a keyword, a space and an argument:
/// ```
/// maxLength 5                 a keyword and its bound; the bound of enum is a JSON array
/// property 12 name            row 12 applies to the member `name`
/// items 3, values 4           rows for the elements, and for members without a `property` or `matching` entry
/// matching 5 ^x-              row 5 applies to the members whose names match
/// element 6 0                 row 6 applies to the first element, which `items` does not apply to
/// required a                  an object has the member `a`
/// not 3, contains 3           no value, or minContains to maxContains elements, match row 3
/// oneOf 3, anyOf 4            exactly one row of all `oneOf`, and at least one of all `anyOf`, match
/// propertyNames 3             the name of each member matches row 3
/// if 3, then 4, else 5        row 4 or 5 applies to the value if it matches row 3 or does not
/// dependent 4 name            row 4 applies to an object with the member `name`
/// types integer null          the JSON types, in a row of the last five lines, which also demands its `need` entries
/// all 7                       row 7 applies to the same value
/// any 8, type string, need a  row 8 is a branch; the type and the members that a value of this branch must have
/// by kind, when 9 circle      row 9 applies to the value if its member `kind` is `circle`
/// ```
@_spi(Generated) public final class RequestRules: Sendable {
    enum Entry: Sendable {
        case bound(ConstraintViolation.Constraint, String)
        case pattern(TextPattern, String)
        case values(Set<EqualityKey>)
        case property(Int, String)
        case items(Int)
        case others(Int)
        case matching(Int, TextPattern)
        case element(Int, Int)
        case all(Int)
        case any(Int)
        case oneOf(Int)
        case anyOf(Int)
        case types([String])
        case not(Int)
        case contains(Int)
        case names(Int)
        case condition(Int)
        case then(Int)
        case otherwise(Int)
        case dependent(Int, String)
        case type(String)
        case need(String)
        case by(String)
        case when(Int, String)

        /// Whether it is compared with `null` although that is valid for the generated types.
        var appliesToNull: Bool {
            switch self {
            case .all, .not, .condition: true
            default: false
            }
        }
    }

    let rows: [[Entry]]

    /// Reads a table.
    public convenience init(_ table: StaticString) { self.init(text: "\(table)") }

    init(text: String) {
        rows = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            line.split(separator: "\t").compactMap { Self.entry($0) }
        }
    }

    private static func entry(_ text: Substring) -> Entry? {
        let parts = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let rest = String(parts[1])
        func row() -> (Int, String)? {
            let parts = parts[1].split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
            return parts.first.flatMap { Int($0) }.map { ($0, parts.count == 2 ? String(parts[1]) : "") }
        }
        switch parts[0] {
        case "pattern": return TextPattern(rest).map { .pattern($0, rest) }
        case "enum": return .values(ConstraintCheck.elements(of: rest))
        case "property": return row().map { .property($0.0, $0.1) }
        case "items": return row().map { .items($0.0) }
        case "values": return row().map { .others($0.0) }
        case "matching":
            return row().flatMap { row in TextPattern(row.1).map { .matching(row.0, $0) } }
        case "element": return row().flatMap { row in Int(row.1).map { .element(row.0, $0) } }
        case "all": return row().map { .all($0.0) }
        case "any": return row().map { .any($0.0) }
        case "oneOf": return row().map { .oneOf($0.0) }
        case "anyOf": return row().map { .anyOf($0.0) }
        case "types": return .types(rest.split(separator: " ").map { String($0) })
        case "not": return row().map { .not($0.0) }
        case "contains": return row().map { .contains($0.0) }
        case "propertyNames": return row().map { .names($0.0) }
        case "if": return row().map { .condition($0.0) }
        case "then": return row().map { .then($0.0) }
        case "else": return row().map { .otherwise($0.0) }
        case "dependent": return row().map { .dependent($0.0, $0.1) }
        case "type": return .type(rest)
        case "need": return .need(rest)
        case "by": return .by(rest)
        case "when": return row().map { .when($0.0, $0.1) }
        default: return .bound(ConstraintViolation.Constraint(String(parts[0])), rest)
        }
    }
}
