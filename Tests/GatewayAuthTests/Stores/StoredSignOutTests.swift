import GatewayCore
import GatewayTesting
import Testing

@testable import GatewayAuth

/// A sign-out that goes to the store directly.
@Suite struct StoredSignOutTests {
    private static let key = TokenKey(client: "me")

    private static func record(_ generation: UInt64, _ content: StoredToken.Content) -> StoredToken {
        StoredToken(key: key, generation: generation, login: 1, content: content)
    }

    private static func granted(_ refreshToken: String) -> StoredToken.Content {
        .granted(
            StoredToken.Grant(
                accessToken: Secret("a"), refreshToken: Secret(refreshToken), issuedAt: .seconds(1)))
    }

    /// A store into which another process writes before the first record of this one.
    private final class Racing: TokenStore {
        let store = MemoryTokenStore()
        private let rival: StoredToken?
        private let hasWritten = Locked(false)

        init(rival: StoredToken?) { self.rival = rival }

        func load(_ key: TokenKey) async throws(NetworkError) -> StoredToken? { try await store.load(key) }

        func store(
            _ record: StoredToken, for key: TokenKey, replacing generation: UInt64
        ) async throws(NetworkError) -> Bool {
            let isFirst = hasWritten.withLock { hasWritten in
                defer { hasWritten = true }
                return !hasWritten
            }
            if isFirst, let rival {
                _ = try await store.store(rival, for: key, replacing: generation)
            }
            // Without a rival it refuses everything.
            guard rival != nil else { return false }
            return try await store.store(record, for: key, replacing: generation)
        }

        func lock(_ key: TokenKey, deadline: Deadline) async throws(NetworkError) -> any TokenStoreLock {
            try await store.lock(key, deadline: deadline)
        }
    }

    @Test func theGrantThatWasReplacedIsReturned() async throws {
        let store = Racing(rival: Self.record(2, Self.granted("new")))
        _ = try await store.store.store(Self.record(1, Self.granted("old")), for: Self.key, replacing: 0)
        let ended = try await store.signOut(Self.key)
        #expect(ended?.grant?.refreshToken == Secret("new"))
        #expect(try await store.load(Self.key)?.content == .signedOut)
        #expect(try await store.signOut(Self.key)?.grant?.accessToken == nil)
    }

    /// What it has left is known until it is removed, also after the next sign-ins and sign-outs.
    @Test func theStoreKnowsTheLoginsThatHaveEnded() async throws {
        let store = Racing(rival: Self.record(2, Self.granted("new")))
        _ = try await store.store.store(Self.record(1, Self.granted("old")), for: Self.key, replacing: 0)
        let account = try #require(Self.record(1, .signedIn).account(of: Self.key))
        let first = try #require(try await store.signOut(Self.key))
        #expect(first.logins == [1] && first.accounts == EndedAccounts([account]))
        // Nobody is signed in, and it is still known.
        let second = try #require(try await store.signOut(Self.key))
        #expect(second.grant == nil && second.accounts == EndedAccounts([account]))
        let known = try #require(try await store.load(Self.key))
        let next = StoredToken(
            key: Self.key, generation: known.generation + 1, login: 7, content: .signedIn,
            endedLogins: known.endedLogins(ending: true))
        #expect(try await store.store(next, for: Self.key, replacing: known.generation))
        let third = try #require(try await store.signOut(Self.key))
        #expect(third.logins == [1, 7])
        let deadline = Deadline.after(.seconds(60))
        try await store.forgetEndedLogins([1], of: Self.key, deadline: deadline)
        #expect(try await store.load(Self.key)?.endedLogins == [7])
        let generation = try await store.load(Self.key)?.generation
        try await store.forgetEndedLogins([1], of: Self.key, deadline: deadline)
        #expect(try await store.load(Self.key)?.generation == generation)
        let lock = try await store.lock(Self.key, deadline: deadline)
        #expect(lock.isHeld)
    }

    /// A process without a cache, such as a command, cannot know what another one has stored.
    @Test(arguments: [true, false]) func theEndOfALoginIsKeptByWhoeverEndsIt(isSignOut: Bool) async throws {
        let store = Racing(rival: Self.record(2, .signedIn))
        _ = try await store.store.store(Self.record(1, .signedIn), for: Self.key, replacing: 0)
        let process = TokenRefreshCoordinator(acquirer: ScriptedAcquirer(), store: store)
        if isSignOut { process.signOut(Self.key) } else { process.signIn(Self.key) }
        try await process.waitUntilStored(Self.key)
        #expect(try await store.load(Self.key)?.endedLogins == [1])
        // A store that ends with the process knows no durable account.
        let passing = MemoryTokenStore()
        _ = try await passing.store(Self.record(1, .signedIn), for: Self.key, replacing: 0)
        #expect(try await passing.signOut(Self.key)?.logins == [])
    }

    @Test func endedLoginsAreLimitedAndComeBack() throws {
        let ended = Array(1...UInt64(StoredToken.maximumEndedLogins + 1)) + [.max]
        let record = StoredToken(
            key: Self.key, generation: 1, login: 1, content: .signedOut, endedLogins: ended)
        #expect(record.endedLogins == [0] + ended.suffix(StoredToken.maximumEndedLogins - 1))
        let accounts = record.endedAccounts(of: Self.key)
        #expect(accounts.hasOthers && accounts.names.count == StoredToken.maximumEndedLogins - 1)
        #expect(StoredToken.limited(record.endedLogins + [7]).count { $0 == 0 } == 1)
        #expect(try StoredToken(record.encoded(), for: Self.key) == record)
        let text = String(decoding: record.encoded(), as: UTF8.self)
        let damaged = text.replacing("\"ended_logins\":[0", with: "\"ended_logins\":[-3")
        #expect(damaged != text)
        #expect(throws: NetworkError.self) { try StoredToken(Array(damaged.utf8), for: Self.key) }
    }

    @Test func aStoreThatRefusesIsAnError() async throws {
        let store = Racing(rival: nil)
        _ = try await store.store.store(Self.record(1, Self.granted("old")), for: Self.key, replacing: 0)
        let error = await #expect(throws: NetworkError.self) { try await store.signOut(Self.key) }
        #expect(error?.code == .tokenStoreFailed)
    }

    @Test func aLostRecordIsReplaced() async throws {
        let store = MemoryTokenStore()
        #expect(try await store.signOut(Self.key)?.grant?.accessToken == nil)
        #expect(try await store.load(Self.key) == nil)
        _ = try await store.store(Self.record(3, .lost), for: Self.key, replacing: 0)
        #expect(try await store.signOut(Self.key)?.grant?.accessToken == nil)
        #expect(try await store.load(Self.key)?.content == .signedOut)
    }
}
