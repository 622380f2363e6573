public import GatewayCore
public import GatewayJSON

// Both responses decode JSON in the same way.
extension HTTPResponse {
    /// The collected body decoded as JSON, whatever its media type.
    ///
    /// ```swift
    /// let books = try await engine.send(request).json([Book].self)
    /// ```
    /// - Parameters:
    ///   - type: what to decode; ``GatewayJSON/JSONValue`` for any JSON.
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
    /// The body decoded as JSON, whatever its media type.
    ///
    /// - Parameters:
    ///   - type: what to decode; ``GatewayJSON/JSONValue`` for any JSON.
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
