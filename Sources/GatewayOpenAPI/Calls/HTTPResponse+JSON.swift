public import GatewayCore
public import GatewayJSON

// `HTTPResponse` and `FailedResponse` decode JSON in the same way.
extension HTTPResponse {
    /// Decodes the collected body as JSON. The media type is not checked.
    ///
    /// ```swift
    /// let books = try await engine.send(request).json([Book].self)
    /// ```
    /// - Parameters:
    ///   - type: the type to decode; ``GatewayJSON/JSONValue`` for any JSON.
    ///   - limits: the limits of the document.
    /// - Throws: ``GatewayCore/NetworkError`` with code ``GatewayCore/NetworkError/decodingFailed``. Its cause is a
    ///   ``GatewayJSON/JSONError``, unless the body is a stream.
    public func json<Value: JSONDecodable>(
        _ type: Value.Type = JSONValue.self, limits: JSONLimits = JSONLimits()
    ) throws(NetworkError) -> Value {
        let content = try content()
        do throws(JSONError) {
            return try Value(jsonBytes: content, limits: limits)
        } catch {
            throw undecodable("The response could not be decoded: \(error).", error)
        }
    }
}

extension FailedResponse {
    /// Decodes the body as JSON. The media type is not checked.
    ///
    /// - Parameters:
    ///   - type: the type to decode; ``GatewayJSON/JSONValue`` for any JSON.
    ///   - limits: the limits of the document.
    /// - Throws: ``GatewayCore/NetworkError`` with code ``GatewayCore/NetworkError/responseTooLarge`` if the body was
    ///   truncated, otherwise ``GatewayCore/NetworkError/decodingFailed``, whose cause is a ``GatewayJSON/JSONError``.
    public func json<Value: JSONDecodable>(
        _ type: Value.Type = JSONValue.self, limits: JSONLimits = JSONLimits()
    ) throws(NetworkError) -> Value {
        let content = try content()
        do throws(JSONError) {
            return try Value(jsonBytes: content, limits: limits)
        } catch {
            throw undecodable("The response could not be decoded: \(error).", error)
        }
    }
}
