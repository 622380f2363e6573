import GatewayClient

/// A collector without a connection: it takes each batch at once, or never answers.
struct CollectorTransport: Transport {
    var isHanging = false

    func send(_ request: HTTPRequest, context: RequestContext) async throws(NetworkError) -> HTTPResponse {
        guard isHanging else {
            return HTTPResponse(status: 200, exchange: Exchange(origin: request.origin))
        }
        let end = context.deadline?.instant ?? .now + .seconds(3_600)
        try? await Task.sleep(until: end, clock: .continuous)
        throw NetworkError(.timeout, "The collector has not answered.", origin: request.origin)
    }
}
