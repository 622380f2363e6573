import BenchmarkClients
import CAllocationCounter
import FoundationEssentials
import GatewayClient

/// The whole stack, with tokens from the embedded gateway's own endpoint, when its token is revoked under all calls.
///
/// Both rounds are alike: the gateway holds what it receives until all calls are made, so that each of them is on the wire
/// or waits for a connection; then it lets them go. In the first the token is good, in the second it has been revoked in
/// between: those on the wire are rejected, and the others are stamped with the next token.
struct RevocationClient {
    private let job: ClientJob
    private let control = CurlTransport()
    private let transport: CurlTransport
    private let tokenTransport = CurlTransport()

    init(_ job: ClientJob) {
        self.job = job
        transport = CurlTransport(configuration: job.configuration)
    }

    func measure() async throws -> Measurement {
        let engine = try await makeEngine()
        let origin = try ParsedURL(job.url).origin
        let numbers = CallNumbers()
        // Every call goes on the wire; none is answered by another's flight.
        let send: @Sendable () async -> Bool = {
            let request = HTTPRequest(
                method: .get, origin: origin, target: "\(RevocationGateway.path)?n=\(numbers.next())")
            return (try? await engine.send(request, context: RequestContext()))?.isSuccess == true
        }
        _ = await LoadLoop.steady(concurrency: job.concurrency, requests: job.warmup, send)
        let plain = try await round(send) {}
        let before = try await counts()
        // The peak is that of the storm: what the calls before it freed may be in the arena of another thread.
        allocation_release_unused()
        var storm = try await round(send) { _ = try await tell("/bench/revoke") }
        let after = try await counts()
        storm.errors += plain.errors
        storm.plainSeconds = plain.seconds
        if let seconds = storm.seconds, let plainSeconds = plain.seconds, plainSeconds > 0 {
            storm.ratioToPlain = seconds / plainSeconds
        }
        storm.tokenRequests = Double(after.tokenRequests - before.tokenRequests)
        storm.replays = Double(after.unauthorized - before.unauthorized)
        return storm
    }

    private func makeEngine() async throws -> GatewayEngine {
        let directions = try JSONDecoder().decode(
            RevocationGateway.Directions.self, from: Data(await ask("/bench/directions")))
        let endpoint = try TokenEndpoint(
            directions.tokenURL,
            client: .basic(clientID: directions.clientID, secret: Secret(directions.secret)),
            transport: tokenTransport)
        var configuration = GatewayConfiguration()
        configuration.authentication = GatewayConfiguration.Authentication(
            coordinator: TokenRefreshCoordinator(acquirer: ClientCredentials(endpoint: endpoint)),
            scope: CredentialScope([try ParsedURL(job.url).origin], key: endpoint.key(scopes: [])))
        return GatewayEngine(
            transport: transport, tokenTransport: tokenTransport, configuration: configuration)
    }

    /// All calls at once, held until all are made and something was done.
    private func round(
        _ send: @escaping @Sendable () async -> Bool, whenHeld act: @Sendable () async throws -> Void
    ) async throws -> Measurement {
        _ = try await tell("/bench/hold")
        let started = ProcessUsage.now
        async let calls = LoadLoop.measure(requests: job.requests) {
            await LoadLoop.burst(requests: job.requests, send)
        }
        try await allAreHeld()
        try await act()
        _ = try await tell("/bench/release")
        var measurement = await calls
        measurement.seconds = ProcessUsage.now - started
        return measurement
    }

    /// Returns when each call is on the wire or waits for a connection.
    private func allAreHeld() async throws {
        while true {
            let counts = await transport.statistics().all
            if counts.active + counts.waiting >= job.requests { return }
            try await Task.sleep(for: .milliseconds(1))
        }
    }

    private func counts() async throws -> RevocationGateway.Counts {
        try JSONDecoder().decode(RevocationGateway.Counts.self, from: Data(await ask("/bench/counts")))
    }

    private func ask(_ path: String) async throws -> [UInt8] { try await exchange(.get, path) }
    private func tell(_ path: String) async throws -> [UInt8] { try await exchange(.post, path) }

    private func exchange(_ method: HTTPMethod, _ path: String) async throws -> [UInt8] {
        let request = try HTTPRequest(method, job.url(path))
        let response = try await control.send(request, context: RequestContext())
        guard response.isSuccess, let bytes = response.body.bytes else {
            throw BenchmarkFailure.failed("the gateway does not know \(path)")
        }
        return bytes
    }
}
