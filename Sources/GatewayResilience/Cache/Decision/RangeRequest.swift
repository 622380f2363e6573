import GatewayCore

/// A `Range` of one range of bytes (RFC 9110 §14.2), answered from a complete stored response.
struct RangeRequest: Sendable {
    private enum Range: Sendable {
        case from(Int, through: Int?)
        case last(Int)
    }

    private let range: Range
    /// `If-Range` (RFC 9110 §13.1.5).
    private let condition: String?

    /// - Returns: `nil` without the field, and for forms that only the server can answer: several ranges,
    ///   another unit, and malformed ones.
    init?(_ fields: HTTPFields) {
        guard let value = fields[.range], value.utf8.count >= 6,
            HTTPSyntax.equalIgnoringCase(String(value.prefix(6)), "bytes=")
        else { return nil }
        let members = FieldList.members(of: value.dropFirst(6))
        guard members.count == 1, let dash = members[0].firstIndex(of: "-") else { return nil }
        let (first, last) = (members[0][..<dash], members[0][members[0].index(after: dash)...])
        func number(_ text: Substring) -> Int? {
            guard !text.isEmpty, text.utf8.allSatisfy({ $0 &- 0x30 < 10 }) else { return nil }
            return Int(text) ?? .max
        }
        if first.isEmpty {
            guard let count = number(last) else { return nil }
            range = .last(count)
        } else {
            guard let start = number(first) else { return nil }
            let end = number(last)
            guard last.isEmpty || end.map({ $0 >= start }) == true else { return nil }
            range = .from(start, through: end)
        }
        condition = fields[.ifRange]
    }

    /// Whether a stored response is the representation in `If-Range`; `true` without the field. A weak
    /// validator never matches: a weak tag, or a date less than a second before `Date` (RFC 9110 §8.8.2.2).
    func matches(_ stored: CachedHead) -> Bool {
        guard let condition else { return true }
        if condition.hasPrefix("\"") { return condition == stored.fields[.entityTag] }
        guard let modified = stored.facts.lastModified, modified < stored.facts.date else { return false }
        return condition == stored.fields[.lastModified]
    }

    /// The bytes of the range; `nil` if it cannot be satisfied.
    func bounds(of count: Int) -> Swift.Range<Int>? {
        switch range {
        case .from(let start, let end):
            guard start < count else { return nil }
            return start..<(min(end ?? .max, count - 1) + 1)
        case .last(let length):
            guard length > 0, count > 0 else { return nil }
            return max(0, count - length)..<count
        }
    }
}
