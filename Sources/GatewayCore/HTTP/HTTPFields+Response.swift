// Header fields of responses that several modules use.
extension HTTPFields {
    /// The media type of `Content-Type` without parameters, in lower case (RFC 9110 §8.3.1); `nil` also if there are
    /// different values.
    package var mediaType: String? {
        guard case .line(let field) = occurrence(of: .contentType) else { return nil }
        let type = field.value.prefix { $0 != ";" }.lowercased().filter { $0 != " " && $0 != "\t" }
        return type.isEmpty ? nil : type
    }

    /// The server-assigned request ID, from the common fields.
    package var serverRequestID: String? { requestID(in: HTTPField.Name.requestIDs) }

    /// The server-assigned request ID: the first usable value of the fields with these names. A value is usable if it
    /// has 1 to 128 letters, digits and characters of `-._~:/+=@#;,|`, and does not look like a JSON Web Token. Fields
    /// whose names say that they carry credentials are skipped.
    package func requestID(in names: [HTTPField.Name]) -> String? {
        for name in names {
            if let id = self[name], Self.isRequestID(id), !name.namesCredential { return id }
        }
        return nil
    }

    private static func isRequestID(_ text: String) -> Bool {
        let bytes = text.utf8
        guard !bytes.isEmpty, bytes.count <= 128, !text.contains("eyJ") else { return false }
        return bytes.allSatisfy { $0.isAlphanumeric || "-._~:/+=@#;,|".utf8.contains($0) }
    }

    /// The delay in `Retry-After` (RFC 9110 §10.2.3).
    ///
    /// - Parameter unixTime: the current time; evaluated only for a response with the field.
    package func retryAfter(at unixTime: @autoclosure () -> Duration) -> Duration? {
        self[.retryAfter].flatMap { RetryAfter.parse($0, unixTime: unixTime()) }
    }
}
