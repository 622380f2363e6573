// Header fields of responses that several modules use.
extension HTTPFields {
    /// The media type of `Content-Type` without parameters, in lower case (RFC 9110 §8.3.1); `nil` also if there are
    /// different values.
    package var mediaType: String? {
        guard case .line(let field) = occurrence(of: .contentType) else { return nil }
        let type = field.value.prefix { $0 != ";" }.lowercased().filter { $0 != " " && $0 != "\t" }
        return type.isEmpty ? nil : type
    }

    /// The server-assigned request ID; `nil` if it is missing, longer than 128 bytes, or has characters that are not
    /// visible ASCII.
    package var serverRequestID: String? {
        for name: HTTPField.Name in [.requestID, "Request-Id", "X-Correlation-ID", "X-Amzn-RequestId"] {
            if let id = self[name], id.utf8.count <= 128, id.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) {
                return id
            }
        }
        return nil
    }

    /// The delay in `Retry-After` (RFC 9110 §10.2.3).
    ///
    /// - Parameter unixTime: the current time; evaluated only for a response with the field.
    package func retryAfter(at unixTime: @autoclosure () -> Duration) -> Duration? {
        self[.retryAfter].flatMap { RetryAfter.parse($0, unixTime: unixTime()) }
    }
}
