import GatewayCore
import GatewayResilience
import Testing

/// The credentials whose sign-outs a cache hears of.
@Suite struct FollowedCredentialTests {
    private final class Reports: Sendable {
        private let state = Locked(0)
        var count: Int { state.withLock { $0 } }
        func add() { state.withLock { $0 += 1 } }
    }

    private final class Login: CredentialSource, EventReporting {
        let identity = CredentialIdentity(key: "key", epoch: 1, account: "ada")
        private let reports: Reports

        init(_ reports: Reports) { self.reports = reports }

        func ready(atLeast generation: UInt64, deadline: Deadline?) async throws(NetworkError) {}

        func stamp(
            _ request: inout HTTPRequest, atLeast generation: UInt64
        ) throws(NetworkError) -> CredentialStamp? { nil }

        func report(to outlet: EventOutlet) { reports.add() }
    }

    /// cache.follows-each: memory of one that is gone may be that of the next.
    @Test func eachCredentialIsFollowedOnce() {
        let (cache, reports) = (HTTPCache(), Reports())
        for _ in 0..<100 { cache.follow(Login(reports)) }
        #expect(reports.count == 100)
        let login = Login(reports)
        for _ in 0..<3 { cache.follow(login) }
        #expect(reports.count == 101)
    }
}
