import GatewayClient

/// `CurlTransport` alone.
struct TransportClient: Sendable {
    private let transport: CurlTransport
    private let request: HTTPRequest
    private let context = RequestContext()

    init(url: String, concurrency: Int) throws(NetworkError) {
        var configuration = CurlConfiguration()
        configuration.connectionsPerOrigin = concurrency
        configuration.connectionsInAll = concurrency
        transport = CurlTransport(configuration: configuration)
        request = try HTTPRequest(.get, url)
    }

    func send() async -> Bool {
        guard let response = try? await transport.send(request, context: context) else { return false }
        return response.isSuccess && response.body.bytes?.isEmpty == false
    }
}
