import BenchmarkClients
import GatewayClient

/// The whole stack as people use it: a bearer token on every call, 401s watched for, calls coalesced and retried.
///
/// Every call has a URL of its own, so that each goes on the wire; none is answered by another's flight.
struct StackClient: BenchClient {
    private let engine: GatewayEngine
    private let origin: Origin
    private let path: String
    private let method: HTTPMethod
    private let body: HTTPBody
    private let numbers = CallNumbers()

    init(_ job: ClientJob) throws(NetworkError) {
        let parsed = try ParsedURL(job.url)
        origin = parsed.origin
        path = parsed.target
        method = job.workload.uploadBytes > 0 ? .post : .get
        body = .bytes(job.upload)
        var configuration = GatewayConfiguration()
        configuration.transport = job.configuration
        if job.idle > 0 { configuration.deadline = .seconds(600) }
        configuration.authentication = GatewayConfiguration.Authentication(
            coordinator: TokenRefreshCoordinator(provider: StaticTokenProvider(Secret(ClientJob.token))),
            scope: CredentialScope([origin]))
        engine = try configuration.makeEngine()
    }

    func send() async -> Bool {
        let request = HTTPRequest(method: method, origin: origin, target: target(path), body: body)
        do {
            let response = try await engine.send(request, context: RequestContext())
            return response.isSuccess && response.body.bytes?.isEmpty == false
        } catch {
            return false
        }
    }

    func get(_ path: String) async -> [UInt8]? {
        let request = HTTPRequest(method: .get, origin: origin, target: target(path))
        return try? await engine.send(request, context: RequestContext()).body.bytes
    }

    private func target(_ path: String) -> String { "\(path)?n=\(numbers.next())" }
}
