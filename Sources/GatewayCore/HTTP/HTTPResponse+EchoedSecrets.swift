extension HTTPResponse {
    /// Removes the request IDs that repeat a secret of the exchange: a credential, a cookie, or a value of the query. Why:
    /// logs and error messages contain request IDs.
    ///
    /// - Parameters:
    ///   - request: the request that was sent, with its credential.
    ///   - names: the fields that request IDs are read from.
    mutating func removeEchoedSecrets(of request: HTTPRequest, in names: [HTTPField.Name]) {
        // Loops over indices, because an iterator allocates in builds that are not optimized.
        var position = fields.startIndex
        while position < fields.endIndex {
            let field = fields[position]
            position += 1
            guard field.value.utf8.count >= Self.shortestSecret else { continue }
            for index in names.indices where names[index] == field.name {
                guard repeatsSecret(of: request, field.value) else { continue }
                fields.remove(field.name)
                position = fields.startIndex
            }
        }
    }

    private func repeatsSecret(of request: HTTPRequest, _ id: String) -> Bool {
        let query = request.target.utf8.drop { $0 != UInt8(ascii: "?") }
        return Self.repeatsPart(of: Substring(query), id) || Self.repeatsCredential(in: request.fields, id)
            || Self.repeatsCredential(in: fields, id)
    }

    /// In bytes. Shorter texts occur in others by chance.
    private static var shortestSecret: Int { 6 }

    private static func repeatsCredential(in fields: HTTPFields, _ id: String) -> Bool {
        fields.contains { field in
            field.name.namesCredential
                && (field.value.utf8Span.span.contains(id.utf8Span.span)
                    || repeatsPart(of: Substring(field.value), id))
        }
    }

    /// Whether a request ID contains a part of a text between separators.
    private static func repeatsPart(of text: Substring, _ id: String) -> Bool {
        text.utf8.split { " \t,;?&=\"".utf8.contains($0) }.contains { part in
            part.count >= shortestSecret && id.utf8Span.span.contains(String(Substring(part)).utf8Span.span)
        }
    }
}

extension Span<UInt8> {
    fileprivate func contains(_ part: Span<UInt8>) -> Bool {
        guard part.count <= count else { return false }
        for start in 0...(count - part.count) where self[start] == part[0] {
            if part.indices.allSatisfy({ self[start + $0] == part[$0] }) { return true }
        }
        return false
    }
}
