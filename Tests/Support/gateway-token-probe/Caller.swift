import Foundation
import GatewayAuth
import GatewayCore
import GatewayCurl

/// Calls an API without end, each call with a number in the trace.
final class Caller: Sendable {
    /// One loop without deadlines, and one with: calls that leave while a refresh is under way.
    private static let deadlines: [Duration?] = [nil, .milliseconds(300)]
    private static let pause: Duration = .milliseconds(8)

    private let engine: AuthenticatedRequestEngine
    private let request: HTTPRequest
    private let lastCall = Locked(0)
    private let isOver = Locked(false)

    init(url: String, coordinator: TokenRefreshCoordinator) throws {
        request = try HTTPRequest(.get, url)
        engine = AuthenticatedRequestEngine(
            transport: CurlTransport(), coordinator: coordinator, scope: CredentialScope([request.origin]))
    }

    /// Returns when ``end()`` was called and every call has ended.
    func run() async {
        await withTaskGroup(of: Void.self) { group in
            for deadline in Self.deadlines {
                group.addTask { [self] in
                    while !isOver.withLock({ $0 }) { await call(within: deadline) }
                }
            }
        }
    }

    func end() { isOver.withLock { $0 = true } }

    private func call(within limit: Duration?) async {
        let number = lastCall.withLock { last in
            last += 1
            return last
        }
        Trace.step("call \(number)")
        let clock = SystemClock()
        do {
            var options = CallOptions()
            options.deadline = limit
            let response = try await engine.send(request, context: RequestContext(options: options))
            Trace.step("ended \(number) \(response.status)")
        } catch {
            Trace.step("ended \(number) \(Trace.code(error))")
        }
        try? await clock.sleep(until: clock.now + Self.pause)
    }
}

/// The longest file that this process may write.
enum FileSizes {
    /// No file grows beyond so many bytes.
    static func limit(to bytes: Int) {
        // As a service does that would rather have the error.
        signal(SIGXFSZ, SIG_IGN)
        set { $0.rlim_cur = rlim_t(bytes) }
    }

    static func restore() { set { $0.rlim_cur = $0.rlim_max } }

    private static func set(_ change: (inout rlimit) -> Void) {
        let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
        var limit = rlimit()
        getrlimit(resource, &limit)
        change(&limit)
        setrlimit(resource, &limit)
    }
}
