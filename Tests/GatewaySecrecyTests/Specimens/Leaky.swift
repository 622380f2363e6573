import GatewayAuth
import GatewayCore

/// A type of the user's own that prints its secret. Whatever holds one must not print it.
struct Leaky: Transport, RequestEngine, AdmissionControl, TokenProvider, TokenAcquirer, TokenStore,
    RetryPolicy, AsyncSequence, AsyncIteratorProtocol
{
    var secret = Marker.text
    var bytes = Marker.bytes

    var services: EngineServices { EngineServices() }

    private var unavailable: NetworkError {
        NetworkError(.noConnection, "Nothing is sent.", underlying: LeakyError())
    }

    func send(_ request: HTTPRequest, context: RequestContext) async throws(NetworkError) -> HTTPResponse {
        throw unavailable
    }
    func enter(
        _ request: HTTPRequest, context: RequestContext
    ) async throws(NetworkError) -> any AdmissionPermit { throw unavailable }
    func currentToken() async throws -> String? { secret }
    func refreshToken() async throws -> String { secret }
    func acquire(_ request: TokenRequest) async throws -> TokenGrant {
        TokenGrant(accessToken: Secret(secret))
    }
    func load(_ key: TokenKey) async throws(NetworkError) -> StoredToken? { nil }
    func store(
        _ record: StoredToken, for key: TokenKey, replacing generation: UInt64
    ) async throws(NetworkError) -> Bool { true }
    func lock(_ key: TokenKey, deadline: Deadline) async throws(NetworkError) -> any TokenStoreLock {
        throw unavailable
    }
    func decision(after outcome: AttemptOutcome, random: any RandomSource) -> RetryDecision { .stop }
    func makeAsyncIterator() -> Leaky { self }
    mutating func next() async throws -> HTTPBody.Chunk? { nil }
}

/// The same for a credential.
final class LeakyCredential: CredentialSource {
    let secret = Marker.text
    let bytes = Marker.bytes

    var identity: CredentialIdentity { CredentialIdentity(key: "key", epoch: 1) }
    func ready(atLeast generation: UInt64, deadline: Deadline?) async throws(NetworkError) {}
    func stamp(
        _ request: inout HTTPRequest, atLeast generation: UInt64
    ) throws(NetworkError) -> CredentialStamp? { nil }
}

/// The same for a receiver of events.
final class LeakySink: RequestEventSink {
    let secret = Marker.text
    let bytes = Marker.bytes

    func record(_ event: borrowing RequestEvent) {}
}

struct LeakyError: Error { var secret = Marker.text }
