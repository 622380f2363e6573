// Methods for collected bodies. `FailedResponse` has the same methods.
extension HTTPResponse {
    /// The media type of the body without parameters, in lower case: `application/json`.
    public var mediaType: String? { fields.mediaType }

    /// Decodes the body as text, in the charset of `Content-Type`: UTF-8 (also without a charset), US-ASCII, ISO-8859-1
    /// or UTF-16. A byte order mark is removed.
    ///
    /// The body must be collected, as by ``RequestEngine/send(_:options:operation:)`` within the response limit; for
    /// streams see ``collected(upToBytes:)``.
    ///
    /// - Throws: ``NetworkError`` with code ``NetworkError/decodingFailed`` if the charset is not supported, the bytes
    ///   are not valid in it, or the body is a stream.
    public func text() throws(NetworkError) -> String {
        let content = try content()
        do throws(TextError) {
            return try fields.text(of: content)
        } catch {
            throw undecodable("The text of the response cannot be read: \(error.message).", error)
        }
    }

    /// Decodes the body with a function, for example with a Foundation decoder:
    ///
    /// ```swift
    /// let book = try response.decoded { try JSONDecoder().decode(Book.self, from: Data($0)) }
    /// ```
    /// - Parameter decode: decodes the bytes of the body.
    /// - Throws: ``NetworkError`` with code ``NetworkError/decodingFailed`` if the function throws, with its error as
    ///   the cause, or if the body is a stream.
    public func decoded<Value>(_ decode: ([UInt8]) throws -> Value) throws(NetworkError) -> Value {
        let content = try content()
        do {
            return try decode(content)
        } catch {
            throw undecodable("The response could not be decoded: \(type(of: error)).", error)
        }
    }

    /// A copy of this response with the whole body in memory.
    ///
    /// - Parameter limit: the maximum size of the body, in bytes.
    /// - Throws: the errors of ``ResponseBody/collect(upToBytes:)``.
    public func collected(upToBytes limit: Int) async throws(NetworkError) -> HTTPResponse {
        let bytes = try await body.collect(upToBytes: limit)
        var response = self
        response.body = .bytes(bytes)
        return response
    }

    /// The bytes of the collected body.
    package func content() throws(NetworkError) -> [UInt8] {
        guard let bytes = body.bytes else {
            throw undecodable("The body is a stream: call collected(upToBytes:) first.", nil)
        }
        return bytes
    }

    /// The error of a body that cannot be decoded.
    package func undecodable(_ message: String, _ cause: (any Error)?) -> NetworkError {
        NetworkError(
            .decodingFailed, message, origin: exchange.origin,
            response: FailedResponse(self, decodingError: cause), attempts: exchange.attempts,
            mayHaveBeenSent: true, underlying: cause)
    }
}
