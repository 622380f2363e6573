// What several modules read from the header fields of a response.
extension HTTPFields {
    /// The media type of `Content-Type` without parameters, in lower case (RFC 9110 §8.3.1); `nil` also for several that
    /// differ.
    package var mediaType: String? {
        guard case .line(let field) = occurrence(of: .contentType) else { return nil }
        let type = field.value.prefix { $0 != ";" }.lowercased().filter { $0 != " " && $0 != "\t" }
        return type.isEmpty ? nil : type
    }

    /// The server-assigned request ID; `nil` where there is none, or one that is long or holds controls.
    package var serverRequestID: String? {
        for name: HTTPField.Name in [.requestID, "Request-Id", "X-Correlation-ID", "X-Amzn-RequestId"] {
            if let id = self[name], id.utf8.count <= 128, id.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) {
                return id
            }
        }
        return nil
    }

    /// The wait that `Retry-After` asks for (RFC 9110 §10.2.3).
    ///
    /// - Parameter unixTime: the wall clock's now, read only for a response with the field.
    package func retryAfter(at unixTime: @autoclosure () -> Duration) -> Duration? {
        self[.retryAfter].flatMap { RetryAfter.parse($0, unixTime: unixTime()) }
    }
}
