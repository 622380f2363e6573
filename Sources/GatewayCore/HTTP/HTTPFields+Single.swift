// Fields that may occur once in a message (RFC 9110 §5.3). Equal lines count once. This file defines how different
// lines are handled.
extension HTTPFields {
    /// The effective value of the lines of a field.
    package enum Occurrence {
        /// The field is missing, or its lines are ignored because they differ.
        case absent
        /// A single value.
        case line(HTTPField)
        /// Several values, none of which can be chosen. Code that needs the field must fail.
        case conflict
    }

    /// How different lines of a field that may occur once are handled.
    private enum Difference {
        /// The first line is used.
        case first
        /// The field is treated as missing.
        case absent
        /// Code that needs the field must fail.
        case conflict
    }

    /// The handling of a field; `nil` for a field that may occur several times.
    private static func difference(of name: HTTPField.Name) -> Difference? {
        switch name.canonicalName {
        case "age",  // RFC 9111 §5.1
            "strict-transport-security":  // RFC 6797 §8.1
            .first
        case "content-location",  // RFC 9110 §8.7
            "date",  // RFC 9110 §6.6.1
            "etag",  // RFC 9110 §8.8.3: the response has no validator
            "expires",  // RFC 9111 §4.2.1: the response is stale, because the field occurs
            "last-modified",  // RFC 9110 §8.8.2: the response has no validator
            "retry-after":  // RFC 9110 §10.2.3
            .absent
        case "content-length",  // RFC 9110 §8.6: the transport rejects the response
            "content-range",  // RFC 9110 §14.4
            "content-type",  // RFC 9110 §8.3: recipients would interpret the content differently
            "location":  // RFC 9110 §10.2.2
            .conflict
        default: nil
        }
    }

    /// The effective value of a field that may occur once. Different lines of an unknown field are a conflict.
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

    /// The value of a field that occurs several times.
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

    /// The values of a field with URL references, joined by `", "`; see ``HTTPField/reference``.
    package func references(in name: HTTPField.Name) -> String {
        filter { $0.name == name }.map(\.reference).joined(separator: ", ")
    }
}
