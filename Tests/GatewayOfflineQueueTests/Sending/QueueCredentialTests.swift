import GatewayCore
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayOfflineQueue

/// Entries are sent with the credential of their account, or not at all.
@Suite(.timeLimit(.minutes(5)), .tags(.concurrent)) struct QueueCredentialTests {
    /// Who is signed in, with a credential for each login.
    private final class Session: Sendable {
        private struct State {
            var account: QueueAccount?
            var credential: TestCredential?
            var epoch: UInt64 = 0
        }

        private let state = Locked(State())

        func signIn(_ name: String?) {
            state.withLock { state in
                state.epoch += 1
                state.account = name.map { QueueAccount($0) }
                state.credential?.end()
                state.credential = name.map { TestCredential($0, epoch: state.epoch) }
            }
        }

        func credential(of account: QueueAccount) -> TestCredential? {
            state.withLock { $0.account == account ? $0.credential : nil }
        }
    }

    private final class TestCredential: CredentialSource {
        let identity: CredentialIdentity
        private let name: String
        private let hasEnded = Locked(false)

        init(_ name: String, epoch: UInt64) {
            self.name = name
            identity = CredentialIdentity(key: "session", epoch: epoch)
        }

        func end() { hasEnded.withLock { $0 = true } }

        func ready(atLeast generation: UInt64, deadline: Deadline?) async throws(NetworkError) {
            if hasEnded.withLock({ $0 }) { throw NetworkError(.signedOut, "signed out") }
        }

        func stamp(
            _ request: inout HTTPRequest, atLeast generation: UInt64
        ) throws(NetworkError) -> CredentialStamp? {
            if hasEnded.withLock({ $0 }) { throw NetworkError(.signedOut, "signed out") }
            request.fields[.authorization] = "Bearer \(name)"
            return CredentialStamp(identity: identity, generation: 1)
        }
    }

    private func request(_ name: String, _ number: Int) throws -> QueueRequest {
        try sample("\(name)") { $0.account = QueueAccount(name) }
    }

    /// queue.other-account-never
    @Test(arguments: 0..<SoakScale.rounds(5))
    func anEntryIsNeverSentInTheNameOfAnother(seed: Int) async throws {
        let session = Session()
        let random = SeededRandomSource(seed: TestSeed.value(UInt64(seed)))
        let fixture = try await EngineFixture(
            seed: UInt64(seed), { $0.credentials = { session.credential(of: $0) } }
        ) { _, _ in
            // Somebody signs in or out at any moment.
            if random.int(in: 0..<3) == 0 { session.signIn(["anna", "ben", nil][random.int(in: 0..<3)]) }
            for _ in 0..<random.int(in: 0..<20) { await Task.yield() }
            return .status(random.int(in: 0..<8) == 0 ? 401 : 200)
        }
        session.signIn("anna")
        await fixture.queue.start()
        for number in 0..<20 {
            _ = try await fixture.queue.enqueue(request(["anna", "ben"][number % 2], number))
        }
        let turns = Locked(0)
        #expect(
            await fixture.advance {
                turns.withLock { $0 += 1 }
                if turns.withLock({ $0 }) % 50 == 0 {
                    session.signIn(random.int(in: 0..<2) == 0 ? "anna" : "ben")
                }
                return (try? await fixture.queue.counts()[.done]) == 20
            })
        for sent in fixture.transport.requests {
            let owner = sent.body.bytes.map { String(decoding: $0, as: UTF8.self) }
            #expect(sent.fields[.authorization] == owner.map { "Bearer \($0)" })
        }
        await fixture.queue.stop(within: .zero)
    }

    /// A credential that is always that of the current login.
    private final class CurrentCredential: CredentialSource {
        private let session: Session
        private let begin: @Sendable () -> Void

        /// - Parameter begin: called before the credential is pinned.
        init(_ session: Session, begin: @escaping @Sendable () -> Void) {
            self.session = session
            self.begin = begin
        }

        var identity: CredentialIdentity { current.identity }

        func pinned() -> any CredentialSource {
            begin()
            return current
        }

        func ready(atLeast generation: UInt64, deadline: Deadline?) async throws(NetworkError) {
            try await current.ready(atLeast: generation, deadline: deadline)
        }

        func stamp(
            _ request: inout HTTPRequest, atLeast generation: UInt64
        ) throws(NetworkError) -> CredentialStamp? {
            try current.stamp(&request, atLeast: generation)
        }

        private var current: TestCredential {
            session.credential(of: QueueAccount("anna")) ?? session.credential(of: QueueAccount("ben"))
                ?? TestCredential("nobody", epoch: 0)
        }
    }

    /// queue.other-account-never: somebody else signs in between the look at the account and the look at its credential.
    @Test func aLoginWhileACredentialIsTakenIsNoticed() async throws {
        let session = Session()
        let isFirst = Locked(true)
        let current = CurrentCredential(session) {
            let first = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            if first { session.signIn("ben") }
        }
        let fixture = try await EngineFixture {
            $0.credentials = { session.credential(of: $0) == nil ? nil : current }
        }
        session.signIn("anna")
        await fixture.queue.start()
        _ = try await fixture.queue.enqueue(request("anna", 1))
        let sent = try await fixture.queue.enqueue(request("ben", 2))
        #expect(try await sent.outcome().isDone)
        #expect(fixture.transport.requests.map { $0.fields[.authorization] } == ["Bearer ben"])
        #expect(fixture.transport.requests.map(\.body.bytes) == [Array("ben".utf8)])
        await fixture.queue.stop(within: .zero)
    }

    /// queue.survives-login
    @Test func aParkedAccountGoesOnAfterItsNextLogin() async throws {
        let session = Session()
        let rejects = Locked(true)
        let fixture = try await EngineFixture({ $0.credentials = { session.credential(of: $0) } }) { _, _ in
            .status(rejects.withLock { $0 } ? 401 : 200)
        }
        session.signIn("anna")
        await fixture.queue.start()
        let ticket = try await fixture.queue.enqueue(request("anna", 1))
        #expect(await fixture.advance { (try? await fixture.queue.counts()[.parked]) == 1 })
        let sent = fixture.transport.requests.count
        // Nothing happens under the same login.
        for _ in 0..<200 {
            fixture.clock.advance(by: .milliseconds(500))
            for _ in 0..<20 { await Task.yield() }
        }
        #expect(fixture.transport.requests.count == sent)
        rejects.withLock { $0 = false }
        session.signIn("anna")
        #expect(await fixture.advance { (try? await fixture.queue.counts()[.done]) == 1 })
        #expect(try await ticket.outcome().isDone)
        await fixture.queue.stop(within: .zero)
    }

    @Test func withoutACredentialAnEntryWaitsAndOthersDoNot() async throws {
        let session = Session()
        let fixture = try await EngineFixture { $0.credentials = { session.credential(of: $0) } }
        session.signIn("ben")
        await fixture.queue.start()
        let waiting = try await fixture.queue.enqueue(request("anna", 1))
        let sent = try await fixture.queue.enqueue(request("ben", 2))
        #expect(try await sent.outcome().isDone)
        #expect(await fixture.advance { (try? await fixture.queue.waitReason(of: waiting.id)) == .signIn })
        session.signIn("anna")
        #expect(await fixture.advance { (try? await fixture.queue.counts()[.done]) == 2 })
        await fixture.queue.stop(within: .zero)
    }
}
