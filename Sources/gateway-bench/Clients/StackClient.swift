import GatewayClient
import Synchronization

/// The whole stack as people use it: a bearer token on every call, 401s watched for, calls coalesced and retried.
///
/// Every call has a URL of its own, so that each goes on the wire; none is answered by another's flight.
struct StackClient: Sendable {
    private final class Numbers: Sendable {
        private let last = Atomic<Int>(0)
        func next() -> Int { last.add(1, ordering: .relaxed).newValue }
    }

    private let engine: GatewayEngine
    private let origin: Origin
    private let path: String
    private let numbers = Numbers()

    init(url: String, concurrency: Int) throws(NetworkError) {
        let parsed = try ParsedURL(url)
        origin = parsed.origin
        path = parsed.target
        var configuration = GatewayConfiguration()
        configuration.transport.connectionsPerOrigin = concurrency
        configuration.transport.connectionsInAll = concurrency
        // A JWT of a usual length.
        let token = Secret(String(repeating: "eyJhbGciOiJIUzI1NiJ9", count: 20))
        configuration.authentication = GatewayConfiguration.Authentication(
            coordinator: TokenRefreshCoordinator(provider: StaticTokenProvider(token)),
            scope: CredentialScope([origin]))
        engine = configuration.makeEngine()
    }

    func send() async -> Bool {
        let request = HTTPRequest(method: .get, origin: origin, target: "\(path)?n=\(numbers.next())")
        guard let response = try? await engine.send(request, context: RequestContext()) else { return false }
        return response.isSuccess && response.body.bytes?.isEmpty == false
    }
}
