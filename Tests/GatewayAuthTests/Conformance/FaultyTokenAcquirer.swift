import GatewayAuth
import GatewayCore
import GatewayTesting

/// What an acquirer can get wrong, by the name of the check that must find it.
enum AcquirerFault: String, CaseIterable, Sendable {
    case grant
    case noCache = "no cache"
    case noMemory = "no memory"
    case refreshToken = "refresh token"
    case singleUse = "single use"
    case oneRequest = "one request"
    case noProbing = "no probing"
    case failuresForGood = "failures for good"
    case failuresInPassing = "failures in passing"
    case lostAnswer = "lost answer"
    case unusableAnswers = "unusable answers"
    case deadline
    case cancelled
    case noLock = "no lock"
    case keysApart = "keys apart"
    case binding
    case noSecrets = "no secrets"
}

/// A refresh token grant with at most one fault.
final class FaultyTokenAcquirer: TokenAcquirer {
    struct Raw: Error { let text: String }

    private struct State {
        var cached: TokenGrant?
        var remembered: Secret?
        var isRefused = false
        var isLocked = false
        var scopes: [String]?
    }

    private let fault: AcquirerFault?
    private let transport: any Transport
    private let secret: Secret
    private let state = Locked(State())

    init(_ fault: AcquirerFault?, _ transport: any Transport, secret: Secret) {
        self.fault = fault
        self.transport = transport
        self.secret = secret
    }

    func isSingleUse(after previous: TokenGrant?) -> Bool { fault != .singleUse }

    func acquire(_ request: TokenRequest) async throws -> TokenGrant {
        if fault == .noCache, let cached = state.withLock({ $0.cached }) { return cached }
        if fault == .noLock {
            guard await isEventually({ state.withLock { lock(&$0) } }) else {
                throw NetworkError(.timeout, "The lock is not released.")
            }
        }
        defer { if fault == .noLock { state.withLock { $0.isLocked = false } } }
        do {
            var grant = try await ask(request)
            if fault == .grant { grant.refreshToken = nil }
            state.withLock { state in
                state.cached = grant
                state.remembered = grant.refreshToken
            }
            return grant
        } catch {
            return try await recover(error, request)
        }
    }

    private func lock(_ state: inout State) -> Bool {
        defer { state.isLocked = true }
        return !state.isLocked
    }

    private func ask(_ request: TokenRequest) async throws -> TokenGrant {
        let (isRefused, remembered) = state.withLock { ($0.isRefused, $0.remembered) }
        let usesPost = fault == .noProbing && isRefused
        let client =
            usesPost
            ? ClientAuthentication.post(clientID: "id", secret: secret)
            : .basic(clientID: "id", secret: secret)
        let endpoint = try TokenEndpoint(
            "https://login.example.com/token", client: client,
            // Which is not told to anybody.
            binding: fault == .binding ? DPoPBinding() : nil,
            transport: fault == .deadline || fault == .cancelled ? Deaf(transport, fault) : transport)
        var token = request.previous?.refreshToken
        if fault == .noMemory { token = remembered ?? token }
        if fault == .refreshToken { token = Secret("the-first-one") }
        // The first key's scopes are everybody's.
        let scopes = state.withLock { state in
            if fault == .keysApart, let scopes = state.scopes { return scopes }
            state.scopes = request.key.scopes
            return request.key.scopes
        }
        let acquirer = RefreshTokenGrant(endpoint: endpoint)
        return try await acquirer.acquire(
            TokenRequest(
                key: TokenKey(scopes: scopes),
                previous: token.map { TokenGrant(accessToken: Secret("a"), refreshToken: $0) },
                previousWasRejected: false, deadline: request.deadline))
    }

    private func recover(_ error: any Error, _ request: TokenRequest) async throws -> TokenGrant {
        let code = (error as? NetworkError)?.code
        switch fault {
        case .oneRequest where code == .tokenUnavailable: return try await ask(request)
        case .noProbing: state.withLock { $0.isRefused = true }
        case .failuresForGood where code == .reauthenticationRequired:
            throw NetworkError(.tokenUnavailable, "Again later.")
        case .failuresInPassing where code == .tokenUnavailable:
            throw NetworkError(.reauthenticationRequired, "Sign in.")
        case .lostAnswer where code == .tokenOutcomeUnknown:
            throw NetworkError(.tokenUnavailable, "Again later.")
        case .unusableAnswers where code == .tokenResponseMalformed: throw Raw(text: "no grant")
        case .noSecrets where code == .reauthenticationRequired:
            throw NetworkError(
                .reauthenticationRequired, "No longer good: \(request.previous?.refreshToken?.exposed ?? "")")
        default: break
        }
        throw error
    }

    /// A transport that hears of no deadline, or of no cancellation.
    private struct Deaf: Transport {
        let transport: any Transport
        let fault: AcquirerFault?

        init(_ transport: any Transport, _ fault: AcquirerFault?) {
            self.transport = transport
            self.fault = fault
        }

        func send(
            _ request: HTTPRequest, context: RequestContext
        ) async throws(NetworkError) -> HTTPResponse {
            let context = fault == .deadline ? RequestContext() : context
            guard fault == .cancelled else { return try await transport.send(request, context: context) }
            return try await Task.detached { [transport] in
                await outcome { () throws(NetworkError) in
                    try await transport.send(request, context: context)
                }
            }.value.get()
        }
    }
}
