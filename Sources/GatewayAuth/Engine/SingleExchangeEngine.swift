import GatewayCore

/// The least that can stand below authentication: one stamped exchange over a transport, without retries.
struct SingleExchangeEngine: RequestEngine {
    /// How often a token may end between being ready and being stamped.
    private static let rounds = 4

    let transport: any Transport

    func send(_ request: HTTPRequest, context: RequestContext) async throws(NetworkError) -> HTTPResponse {
        guard let credentials = context.credentials else {
            return try await transport.send(request, context: context)
        }
        var request = request
        for _ in 0..<Self.rounds {
            try await credentials.ready(atLeast: context.minimumGeneration, deadline: context.deadline)
            guard let stamp = try credentials.stamp(&request, atLeast: context.minimumGeneration) else {
                continue
            }
            var response = try await transport.send(request, context: context)
            response.exchange.stamp = stamp
            credentials.note(response, to: request)
            return response
        }
        throw NetworkError(
            .tokenUnavailable, "Tokens expire faster than a request can be sent with them.",
            origin: request.origin)
    }
}
