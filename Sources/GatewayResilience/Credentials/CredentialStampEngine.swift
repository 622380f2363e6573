public import GatewayCore

/// Stamps each attempt with the context's credential immediately before sending it, and records the stamp on the
/// response.
public struct CredentialStampEngine: RequestEngine {
    private let transport: any Transport

    /// Makes a layer above a transport.
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

    /// A request as it is sent. On the heap, so that the async frame holds one pointer.
    private final class Attempt: Sendable {
        let request: HTTPRequest
        let stamp: CredentialStamp?

        init(_ request: HTTPRequest, _ stamp: CredentialStamp?) {
            self.request = request
            self.stamp = stamp
        }
    }

    // Out of line, to keep the async frame small.

    @inline(never)
    private static func stamp(
        _ request: HTTPRequest, _ context: RequestContext
    ) throws(NetworkError) -> Attempt {
        guard let credentials = context.credentials else { return Attempt(request, nil) }
        var stamped = request
        guard let stamp = try credentials.stamp(&stamped, atLeast: context.minimumGeneration) else {
            throw NetworkError(
                .credentialStale, "The credential expired before the attempt began.", origin: request.origin)
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
