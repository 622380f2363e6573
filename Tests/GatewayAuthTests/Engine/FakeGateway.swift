import GatewayCore
import GatewayTesting

/// An API that accepts one token at a time, and counts.
final class FakeGateway: Transport {
    private struct State {
        var accepted: Set<String> = []
        var sent: [String: Int] = [:]
        var rejections = 0
        var bodies: [[UInt8]] = []
    }

    private let state = Locked(State())
    /// Held before every answer, where there is one.
    let gate: Gate?

    init(accepting tokens: String..., gate: Gate? = nil) {
        self.gate = gate
        accept(tokens)
    }

    func accept(_ tokens: [String]) {
        state.withLock { $0.accepted = Set(tokens.map { "Bearer " + $0 }) }
    }

    /// How often a path was asked for.
    func sent(_ path: String) -> Int { state.withLock { $0.sent[path] ?? 0 } }
    var mostSent: Int { state.withLock { $0.sent.values.max() ?? 0 } }
    var total: Int { state.withLock { $0.sent.values.reduce(0, +) } }
    var rejections: Int { state.withLock { $0.rejections } }
    var bodies: [[UInt8]] { state.withLock { $0.bodies } }

    func send(_ request: HTTPRequest, context: RequestContext) async throws(NetworkError) -> HTTPResponse {
        guard !Task.isCancelled else { throw NetworkError(.cancelled, "cancelled") }
        if case .once(_, let stream) = request.body.storage { _ = stream.take() }
        state.withLock { state in
            state.sent[request.target, default: 0] += 1
            if let bytes = request.body.bytes { state.bodies.append(bytes) }
        }
        if let gate { await gate.pass() }
        let isAccepted = state.withLock { state in
            let isAccepted = state.accepted.contains(request.fields[.authorization] ?? "")
            if !isAccepted { state.rejections += 1 }
            return isAccepted
        }
        return HTTPResponse(
            status: isAccepted ? 200 : 401,
            fields: isAccepted ? [:] : [.wwwAuthenticate: "Bearer error=\"invalid_token\""],
            exchange: Exchange(origin: request.origin))
    }
}

/// Hands everything through and stamps nothing itself: what a transport sees.
final class RecordingEngine: RequestEngine {
    let services = EngineServices()
    typealias Script = @Sendable (HTTPRequest, RequestContext) async throws(NetworkError) -> HTTPResponse
    private let script: Script
    private let recorded = Locked<[RequestContext]>([])

    init(_ script: @escaping Script) { self.script = script }

    var contexts: [RequestContext] { recorded.withLock { $0 } }

    func send(_ request: HTTPRequest, context: RequestContext) async throws(NetworkError) -> HTTPResponse {
        recorded.withLock { $0.append(context) }
        return try await script(request, context)
    }
}
