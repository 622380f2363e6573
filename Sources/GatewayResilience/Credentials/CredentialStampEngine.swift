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
        let attempt = try Self.stamp(request, context)
        var response = try await transport.send(attempt.request, context: context)
        if attempt.stamp != nil { Self.note(attempt, context, on: &response) }
        return response
    }

    /// A request as it is sent; on the heap, so that a call that waits carries one pointer.
    private final class Attempt: Sendable {
        let request: HTTPRequest
        let stamp: CredentialStamp?

        init(_ request: HTTPRequest, _ stamp: CredentialStamp?) {
            self.request = request
            self.stamp = stamp
        }
    }

    // Functions of their own, so that what they need room for is no part of a call that waits.

    @inline(never)
    private static func stamp(
        _ request: HTTPRequest, _ context: RequestContext
    ) throws(NetworkError) -> Attempt {
        guard let credentials = context.credentials else { return Attempt(request, nil) }
        var stamped = request
        guard let stamp = try credentials.stamp(&stamped, atLeast: context.minimumGeneration) else {
            throw NetworkError(
                .credentialStale, "The credential expired before the attempt.", origin: request.origin)
        }
        return Attempt(stamped, stamp)
    }

    @inline(never)
    private static func note(
        _ attempt: Attempt, _ context: RequestContext, on response: inout HTTPResponse
    ) {
        response.exchange.stamp = attempt.stamp
        context.credentials?.note(response, to: attempt.request)
    }
}
