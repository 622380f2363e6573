import GatewayCore
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayOfflineQueue

/// A queue with a credential of its own, and entries that wait for a sign-in.
@Suite(.timeLimit(.minutes(5)), .tags(.concurrent)) struct QueueOwnCredentialTests {
    /// A credential whose token is the number of the login.
    private final class Login: CredentialSource {
        private let epoch = Locked<UInt64>(1)

        var identity: CredentialIdentity { CredentialIdentity(key: "login", epoch: epoch.withLock { $0 }) }

        func signIn() { epoch.withLock { $0 += 1 } }

        func ready(atLeast generation: UInt64, deadline: Deadline?) async throws(NetworkError) {}

        func stamp(
            _ request: inout HTTPRequest, atLeast generation: UInt64
        ) throws(NetworkError) -> CredentialStamp? {
            let identity = identity
            request.fields[.authorization] = "Bearer \(identity.epoch)"
            return CredentialStamp(identity: identity, generation: 1)
        }
    }

    /// queue.own-credential
    @Test func entriesAreSentWithTheCredentialOfTheQueue() async throws {
        let login = Login()
        let fixture = try await EngineFixture { $0.credential = login }
        await fixture.queue.start()
        #expect(try await fixture.queue.enqueue(sample()).outcome().isDone)
        #expect(fixture.transport.requests.map { $0.fields[.authorization] } == ["Bearer 1"])
        await fixture.queue.stop(within: .zero)
    }

    /// queue.own-credential, queue.survives-login
    @Test func parkedEntriesGoOnUnderTheNextLogin() async throws {
        let login = Login()
        let fixture = try await EngineFixture({ $0.credential = login }) { request, _ in
            .status(request.fields[.authorization] == "Bearer 1" ? 401 : 200)
        }
        await fixture.queue.start()
        let ticket = try await fixture.queue.enqueue(sample())
        #expect(await fixture.advance { (try? await fixture.queue.counts()[.parked]) == 1 })
        let later = fixture.clock.now + .seconds(30)
        #expect(await fixture.advance { fixture.clock.now >= later })
        #expect(fixture.transport.requests.count == 1)
        login.signIn()
        #expect(await fixture.advance { (try? await fixture.queue.counts()[.done]) == 1 })
        #expect(try await ticket.outcome().isDone)
        await fixture.queue.stop(within: .zero)
    }

    /// queue.own-credential, queue.other-account-never: the store may have entries of an earlier life.
    @Test func entriesOfAnotherAccountAreNotSentWithIt() async throws {
        let now = QueueTime(ManualClock())
        let store = MemoryQueueStore()
        let other = try QueueItem(sample("other") { $0.account = QueueAccount("other") }, now: now)
        _ = store.insert([other], limits: QueueLimits(), now: now)
        let fixture = try await EngineFixture(store: store, { $0.credential = Login() }) { _, _ in
            .status(200)
        }
        await fixture.queue.start()
        #expect(try await fixture.queue.enqueue(sample("own")).outcome().isDone)
        let later = fixture.clock.now + .seconds(10)
        #expect(await fixture.advance { fixture.clock.now >= later })
        #expect(fixture.transport.requests.map(\.body.bytes) == [Array("own".utf8)])
        await fixture.queue.stop(within: .zero)
    }

    /// queue.anonymous: nobody is signed in, and a 401 asks nobody to sign in.
    @Test func anAnonymousEntryNeedsNoSignIn() async throws {
        let fixture = try await EngineFixture({ $0.credentials = { _ in nil } }) { request, _ in
            .status(request.body.bytes == Array("refused".utf8) ? 401 : 200)
        }
        await fixture.queue.start()
        _ = try await fixture.queue.enqueue(sample("waits"))
        #expect(try await fixture.queue.enqueue(sample { $0.isAnonymous = true }).outcome().isDone)
        _ = try await fixture.queue.enqueue(sample("refused") { $0.isAnonymous = true })
        #expect(await fixture.advance { (try? await fixture.queue.counts()[.poison]) == 1 })
        let entries = try await fixture.queue.entries()
        #expect(entries.map(\.account) == [QueueAccount("default"), nil, nil])
        #expect(await fixture.advance { (try? await fixture.queue.counts()[.waiting]) == 1 })
        #expect(fixture.transport.requests.allSatisfy { $0.fields[.authorization] == nil })
        #expect(fixture.transport.requests.count == 2)
        await fixture.queue.stop(within: .zero)
    }

    /// queue.anonymous: an account orders and lists the entry, and does not sign it in. One that is sent with a credential is
    /// no duplicate of it.
    @Test func anAnonymousEntryOfAnAccountIsSentWithoutItsCredential() async throws {
        let login = Login()
        let fixture = try await EngineFixture({ $0.credential = login }) { _, index in
            .status(index == 0 ? 401 : 200)
        }
        await fixture.queue.start()
        func request(isAnonymous: Bool, key: String) throws -> QueueRequest {
            try sample {
                $0.account = QueueAccount("default")
                $0.isAnonymous = isAnonymous
                $0.idempotencyKey = key
            }
        }
        _ = try await fixture.queue.enqueue(request(isAnonymous: true, key: "refused"))
        #expect(await fixture.advance { (try? await fixture.queue.counts()[.poison]) == 1 })
        let anonymous = try await fixture.queue.enqueue(request(isAnonymous: true, key: "k"))
        #expect(try await anonymous.outcome().isDone)
        let again = try await fixture.queue.enqueue(request(isAnonymous: true, key: "k"))
        #expect(again.isDuplicate && again.id == anonymous.id)
        let error = await #expect(throws: QueueError.self) {
            _ = try await fixture.queue.enqueue(request(isAnonymous: false, key: "k"))
        }
        #expect(error?.code == .conflict)
        #expect(try await fixture.queue.enqueue(request(isAnonymous: false, key: "other")).outcome().isDone)
        #expect(fixture.transport.requests.map { $0.fields[.authorization] } == [nil, nil, "Bearer 1"])
        await fixture.queue.stop(within: .zero)
    }

    @Test func thereIsOneWayToGiveCredentials() async throws {
        var configuration = OfflineQueueEngine.Configuration()
        configuration.credential = Login()
        try configuration.validate()
        configuration.credentials = { _ in nil }
        let both = configuration
        let error = #expect(throws: QueueError.self) { try both.validate() }
        #expect(error?.property == "credential")
    }

    /// queue.parked-is-told: at once, since the clock stands still.
    @Test func parkedEntriesAreCountedAndToldAtOnce() async throws {
        let fixture = try await EngineFixture { _, _ in .status(401) }
        for number in 0..<3 { _ = try await fixture.queue.enqueue(sample("\(number)")) }
        await fixture.queue.start()
        #expect(
            await isEventually {
                fixture.queueEvents.contains(.depth(queued: 3, needingAttention: 3))
            })
        #expect(fixture.queueEvents.contains(.moved(3, to: "parked")))
        #expect(fixture.transport.requests.count == 1)
        let status = await fixture.queue.drain.status
        #expect(status.needingAttention == 3 && "\(status)".contains("3 need attention"))
        await fixture.queue.stop(within: .zero)
    }
}
