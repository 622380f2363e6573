extension HTTPResponse {
    /// Removes the request IDs that repeat a secret of the exchange: a credential, a cookie, or a value of the query. Why:
    /// logs and error messages contain request IDs.
    ///
    /// Allocates nothing unless it removes a field. Iterators would, in builds that are not optimized.
    ///
    /// - Parameters:
    ///   - request: the request that was sent, with its credential.
    ///   - names: the fields that request IDs are read from.
    mutating func removeEchoedSecrets(of request: HTTPRequest, in names: [HTTPField.Name]) {
        var position = fields.startIndex
        while position < fields.endIndex {
            let field = fields[position]
            position += 1
            guard field.value.utf8.count >= EchoedSecret.shortest else { continue }
            for index in names.indices where names[index] == field.name {
                guard
                    EchoedSecret.isQuery(of: request.target, in: field.value)
                        || EchoedSecret.isCredential(of: request.fields, in: field.value)
                        || EchoedSecret.isCredential(of: fields, in: field.value)
                else { continue }
                fields.remove(field.name)
                position = fields.startIndex
            }
        }
    }
}

/// Finds parts of secrets in a request ID.
private enum EchoedSecret {
    /// In bytes. Shorter texts occur in others by chance.
    static var shortest: Int { 6 }

    static func isQuery(of target: String, in id: String) -> Bool {
        let target = target.utf8Span.span
        var start = 0
        while start < target.count, target[start] != UInt8(ascii: "?") { start += 1 }
        return hasPart(of: target, from: start, in: id.utf8Span.span)
    }

    static func isCredential(of fields: HTTPFields, in id: String) -> Bool {
        var position = fields.startIndex
        while position < fields.endIndex {
            let field = fields[position]
            position += 1
            guard field.name.namesCredential else { continue }
            let (value, id) = (field.value.utf8Span.span, id.utf8Span.span)
            if contains(value, id, 0, id.count) || hasPart(of: value, from: 0, in: id) { return true }
        }
        return false
    }

    /// Whether a request ID contains a part of a text between separators.
    private static func hasPart(of text: Span<UInt8>, from first: Int, in id: Span<UInt8>) -> Bool {
        var (start, end) = (first, first)
        while end <= text.count {
            if end == text.count || isSeparator(text[end]) {
                if end - start >= shortest, contains(id, text, start, end) { return true }
                start = end + 1
            }
            end += 1
        }
        return false
    }

    private static func isSeparator(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "?"),
            UInt8(ascii: "&"), UInt8(ascii: "="), UInt8(ascii: "\""):
            true
        default: false
        }
    }

    /// Whether a text contains the bytes from `start` up to `end` of another one.
    private static func contains(
        _ text: Span<UInt8>, _ other: Span<UInt8>, _ start: Int, _ end: Int
    ) -> Bool {
        var offset = 0
        while offset + (end - start) <= text.count {
            var index = start
            while index < end, text[offset + index - start] == other[index] { index += 1 }
            if index == end { return true }
            offset += 1
        }
        return false
    }
}
