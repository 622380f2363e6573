import GatewayAuth
import GatewayCore
import GatewayTesting
import Testing

/// Gives grants by a script and remembers what it was asked.
final class ScriptedAcquirer: TokenAcquirer {
    typealias Script = @Sendable (_ request: TokenRequest, _ index: Int) async throws -> TokenGrant

    private let script: Script
    private let recorded = Locked<[TokenRequest]>([])

    init(_ script: @escaping Script) { self.script = script }

    /// Gives `token-1`, `token-2` and so on.
    convenience init(expiresIn: Duration? = .seconds(3600)) {
        self.init { _, index in TokenGrant(accessToken: Secret("token-\(index + 1)"), expiresIn: expiresIn) }
    }

    var requests: [TokenRequest] { recorded.withLock { $0 } }
    var count: Int { recorded.withLock { $0.count } }

    func acquire(_ request: TokenRequest) async throws -> TokenGrant {
        let index = recorded.withLock { requests in
            requests.append(request)
            return requests.count - 1
        }
        return try await script(request, index)
    }
}

/// Waits until a condition is true. Records an issue and returns false if that takes more than 30 s.
@discardableResult
func eventually(
    _ condition: () async -> Bool, sourceLocation: SourceLocation = #_sourceLocation
) async -> Bool {
    if await isEventually(condition) { return true }
    Issue.record("the condition did not become true within 30 s", sourceLocation: sourceLocation)
    return false
}

/// What a throwing function gives, as a value.
func outcome<Value>(
    _ body: () async throws(NetworkError) -> Value
) async -> Result<Value, NetworkError> {
    do throws(NetworkError) { return .success(try await body()) } catch {
        TestTrace.show(error)
        return .failure(error)
    }
}

extension Result where Failure == NetworkError {
    var code: NetworkError.Code? {
        if case .failure(let error) = self { return error.code }
        return nil
    }
    var value: Success? { try? get() }
}
