internal import GatewayCore

extension PagedItems {
    /// Creates a list with fixed pages, for fakes in tests. Resume tokens are the positions of the pages, from 0.
    public init(pages: [Page]) {
        self.init(Self.nowhere("fake"), .url, from: 200, through: 299)
        self.pages.fixed = pages
    }

    /// The list of a fake that does not implement the operation. Fetching its first page throws.
    @_spi(Generated) public static func unimplemented(_ operation: String) -> PagedItems {
        var request = nowhere(operation)
        request.fail(NetworkError(.misconfigured, "The fake does not implement this operation."))
        return PagedItems(request, .url, from: 200, through: 299)
    }

    /// A request that is never sent.
    private static func nowhere(_ operation: String) -> RequestBuilder {
        let client = APIClient(
            server: ServerChoice(url: ""), credentials: ConfiguredCredentials(), defaults: CallOptions(),
            engine: NoEngine())
        let descriptor = OperationDescriptor(
            id: operation, method: "GET", path: "", accept: "*/*", security: nil, idempotencyKey: nil)
        return RequestBuilder(client, descriptor, CallOptions())
    }
}

/// The engine of requests that are never sent.
private struct NoEngine: RequestEngine {
    let services = EngineServices()

    func send(_ request: HTTPRequest, context: RequestContext) async throws(NetworkError) -> HTTPResponse {
        throw NetworkError(.misconfigured, "A fake sends no request.")
    }
}
