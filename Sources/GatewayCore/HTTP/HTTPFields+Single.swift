// Fields that may occur once in a message (RFC 9110 §5.3). Equal lines of them count once; what different ones mean is here.
extension HTTPFields {
    /// What counts of the lines of a field.
    package enum Occurrence {
        /// The field does not occur, or its lines are ignored because they differ.
        case absent
        /// The one value.
        case line(HTTPField)
        /// Several values, of which none can be chosen: what needs the field fails.
        case conflict
    }

    /// What different lines of a field mean that may occur once.
    private enum Difference {
        /// The first one counts.
        case first
        /// The field counts as absent.
        case absent
        /// What needs the field fails.
        case conflict
    }

    /// `nil` for a field that may occur more than once.
    private static func difference(of name: HTTPField.Name) -> Difference? {
        switch name.canonicalName {
        case "age",  // RFC 9111 §5.1
            "strict-transport-security":  // RFC 6797 §8.1
            .first
        case "content-location",  // RFC 9110 §8.7
            "date",  // RFC 9110 §6.6.1
            "etag",  // RFC 9110 §8.8.3: no validator
            "expires",  // RFC 9111 §4.2.1: stale, since it occurs
            "last-modified",  // RFC 9110 §8.8.2: no validator
            "retry-after":  // RFC 9110 §10.2.3
            .absent
        case "content-length",  // RFC 9110 §8.6; the transport refuses the response
            "content-range",  // RFC 9110 §14.4
            "content-type",  // RFC 9110 §8.3: readers would differ on what the content is
            "location":  // RFC 9110 §10.2.2
            .conflict
        default: nil
        }
    }

    /// What counts of a field that may occur once. Any field with different lines that is not known is a conflict.
    package func occurrence(of name: HTTPField.Name) -> Occurrence {
        var first: HTTPField?
        for field in self where field.name == name {
            guard let known = first else {
                first = field
                continue
            }
            guard known != field else { continue }
            switch Self.difference(of: name) {
            case .first: return .line(known)
            case .absent: return .absent
            case .conflict, nil: return .conflict
            }
        }
        return first.map(Occurrence.line) ?? .absent
    }

    /// The value of a field that occurs more than once.
    @inline(never)
    func repeatedValue(of name: HTTPField.Name) -> String? {
        if Self.difference(of: name) != nil {
            switch occurrence(of: name) {
            case .absent: return nil
            case .line(let field): return field.value
            case .conflict: break
            }
        }
        return values(for: name).joined(separator: ", ")
    }

    /// The values of a field with references to URLs, joined by `", "`; see ``HTTPField/reference``.
    package func references(in name: HTTPField.Name) -> String {
        filter { $0.name == name }.map(\.reference).joined(separator: ", ")
    }
}
