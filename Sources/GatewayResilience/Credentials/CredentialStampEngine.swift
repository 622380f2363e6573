public import GatewayCore

/// Stamps the attempt with the context's credential at the last moment, sends it, and says on the response with
/// which credential it was answered.
public struct CredentialStampEngine: RequestEngine {
    private let transport: any Transport

    /// Puts the layer over a transport.
    public init(transport: any Transport) { self.transport = transport }

    /// Makes one exchange.
    @inline(__always)
    public func send(
        _ request: HTTPRequest, context: RequestContext
    ) async throws(NetworkError) -> HTTPResponse {
        guard let credentials = context.credentials else {
            return try await transport.send(request, context: context)
        }
        let (stamped, stamp) = try Self.stamp(request, with: credentials, context)
        return Self.note(stamp, on: try await transport.send(stamped, context: context))
    }

    // Functions of their own, so that what they need room for is no part of a call that waits.

    @inline(never)
    private static func stamp(
        _ request: HTTPRequest, with credentials: any CredentialSource, _ context: RequestContext
    ) throws(NetworkError) -> (HTTPRequest, CredentialStamp) {
        var stamped = request
        guard let stamp = try credentials.stamp(&stamped, atLeast: context.minimumGeneration) else {
            throw NetworkError(
                .credentialStale, "The credential expired before the attempt.", origin: request.origin)
        }
        return (stamped, stamp)
    }

    @inline(never)
    private static func note(_ stamp: CredentialStamp, on response: HTTPResponse) -> HTTPResponse {
        var response = response
        response.exchange.stamp = stamp
        return response
    }
}
