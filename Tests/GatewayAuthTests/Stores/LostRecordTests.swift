import Foundation
import GatewayCore
import GatewayTesting
import Testing

@testable import GatewayAuth

/// Records that are lost. The server of these tests replaces each refresh token, and `r0` is the first.
@Suite(.timeLimit(.minutes(1))) struct LostRecordTests {
    enum Loss: String, CaseIterable, Sendable {
        case deleted, emptied, cut, damaged, older
    }

    private let directory = TemporaryDirectory()
    private let rig = StoredRig()
    private let file = TokenKey.default.digest + ".json"

    private func start() -> TokenRefreshCoordinator { rig.start(FileTokenStore(directory: directory.path)) }

    private func code(_ process: TokenRefreshCoordinator) async -> NetworkError.Code? {
        await rig.code { () throws(NetworkError) in try await process.token() }
    }

    /// Two refreshes, and then the record is lost.
    private func lose(_ loss: Loss, _ process: TokenRefreshCoordinator) async throws {
        let first = try await process.token()
        let backup = try directory.read(file)
        _ = try await process.rejected(first)
        let text = try directory.read(file)
        switch loss {
        case .deleted: try FileManager.default.removeItem(atPath: directory.path(file))
        case .emptied: try directory.write("", file)
        case .cut: try directory.write(String(text.prefix(text.utf8.count * 2 / 3)), file)
        case .damaged: try directory.write(text.replacing("access_token", with: "access\u{0}token"), file)
        case .older: try directory.write(backup, file)
        }
    }

    @Test(arguments: Loss.allCases) func aProcessThatStartsLaterSendsNothing(loss: Loss) async throws {
        try await lose(loss, start())
        let later = start()
        #expect(await code(later) == .reauthenticationRequired)
        #expect(rig.server.used == ["r0", "r1"])
        // It lasts.
        rig.clock.advance(by: .seconds(90))
        #expect(await code(later) == .reauthenticationRequired)
        #expect(await code(start()) == .reauthenticationRequired)
        #expect(rig.server.used == ["r0", "r1"])
    }

    @Test(arguments: Loss.allCases) func aProcessThatKnewTheRecordSendsNothing(loss: Loss) async throws {
        let process = start()
        try await lose(loss, process)
        // What is in memory is served until it ends.
        #expect(try await rig.secret(process.token()) == "a2")
        rig.clock.advance(by: .seconds(3590))
        #expect(try await rig.secret(process.token()) == "a2")
        rig.clock.advance(by: .seconds(20))
        #expect(await code(process) == .reauthenticationRequired)
        #expect(rig.server.used == ["r0", "r1"])
    }

    @Test(arguments: Loss.allCases) func signingInMendsIt(loss: Loss) async throws {
        let (process, other) = (start(), start())
        try await lose(loss, process)
        _ = await code(other)
        rig.clock.advance(by: .seconds(3601))
        #expect(await code(process) == .reauthenticationRequired)
        process.signIn(with: TokenGrant(accessToken: Secret("new"), refreshToken: Secret("r2")))
        try await process.waitUntilStored()
        #expect(try await rig.secret(start().token()) == "new")
        rig.clock.advance(by: .seconds(90))
        #expect(try await rig.secret(other.token()) == "new")
        rig.clock.advance(by: .seconds(3600))
        #expect(try await rig.secret(other.token()) == "a3")
        #expect(rig.server.used == ["r0", "r1", "r2"])
    }

    @Test func aFirstStartUsesTheFirstRefreshToken() async throws {
        #expect(try await rig.secret(start().token()) == "a1")
        #expect(rig.server.used == ["r0"])
    }

    /// A failed first request leaves the mark empty: there was no record yet.
    @Test func aMarkWithoutARecordIsNoLoss() async throws {
        let gate = Gate()
        rig.server.hold(1, gate)
        let victim = start()
        let caller = Task { await outcome { () throws(NetworkError) in try await victim.token() } }
        await gate.waitForArrivals(1)
        #expect(directory.names.contains(TokenKey.default.digest + ".mark"))
        #expect(try await FileTokenStore(directory: directory.path).load(.default) == nil)
        gate.open()
        _ = await caller.value
    }

    @Test(arguments: ["", "nonsense", "12 34"]) func aDamagedMarkDoesNotHideARecord(mark: String) async throws
    {
        _ = try await start().token()
        try directory.write(mark, TokenKey.default.digest + ".mark")
        #expect(try await rig.secret(start().token()) == "a1")
        try FileManager.default.removeItem(atPath: directory.path(file))
        if mark.isEmpty { try directory.write("", file) }
        #expect(await code(start()) == .reauthenticationRequired)
        #expect(rig.server.used == ["r0"])
    }

    /// Records of versions without marks get one before the next request.
    @Test func aRecordWithoutAMarkIsMarked() async throws {
        let first = start()
        let lease = try await first.token()
        try FileManager.default.removeItem(atPath: directory.path(TokenKey.default.digest + ".mark"))
        let gate = Gate()
        rig.server.hold(2, gate)
        let caller = Task { await outcome { () throws(NetworkError) in try await first.rejected(lease) } }
        await gate.waitForArrivals(1)
        try FileManager.default.removeItem(atPath: directory.path(file))
        let found = try await FileTokenStore(directory: directory.path).load(.default)
        #expect(found?.content == .lost)
        #expect(found?.generation == 1)
        // What the request brings is newer than all that was lost.
        gate.open()
        _ = await caller.value
        #expect(try await rig.secret(start().token()) == "a2")
    }

    /// A token that can be requested again at any time is.
    @Test(arguments: Loss.allCases) func withoutARefreshTokenNothingIsLost(loss: Loss) async throws {
        rig.server.keepRefreshTokens()
        let process = start()
        try await lose(loss, process)
        #expect(try await rig.secret(start().token()) == "a3")
        rig.clock.advance(by: .seconds(3601))
        #expect(try await rig.secret(process.token()) == "a4")
    }

    @Test(arguments: Loss.allCases) func aSignOutIsNotUndoneByALoss(loss: Loss) async throws {
        let process = start()
        try await lose(loss, process)
        process.signOut()
        try await process.waitUntilStored()
        try FileManager.default.removeItem(atPath: directory.path(file))
        #expect(await code(start()) == .reauthenticationRequired)
        #expect(rig.server.used == ["r0", "r1"])
    }

    // MARK: Stores that forget

    /// A store without a mark of its own, which is emptied: `FLUSHALL`.
    private final class Forgetful: TokenStore {
        let inner = Locked(MemoryTokenStore())
        func load(_ key: TokenKey) async throws(NetworkError) -> StoredToken? {
            try await inner.withLock { $0 }.load(key)
        }
        func store(
            _ record: StoredToken, for key: TokenKey, replacing generation: UInt64
        ) async throws(NetworkError) -> Bool {
            try await inner.withLock { $0 }.store(record, for: key, replacing: generation)
        }
        func lock(_ key: TokenKey, deadline: Deadline) async throws(NetworkError) -> any TokenStoreLock {
            try await inner.withLock { $0 }.lock(key, deadline: deadline)
        }
    }

    @Test func aProcessThatKnewARecordLeavesANoteForOthers() async throws {
        let store = Forgetful()
        let process = rig.start(store)
        let lease = try await process.token()
        _ = try await process.rejected(lease)
        store.inner.withLock { $0 = MemoryTokenStore() }
        rig.clock.advance(by: .seconds(3601))
        #expect(await code(process) == .reauthenticationRequired)
        let note = try await store.load(.default)
        #expect(note?.content == .lost)
        #expect(note?.generation == 3)
        #expect(await code(rig.start(store)) == .reauthenticationRequired)
        #expect(rig.server.used == ["r0", "r1"])
        process.signIn(with: TokenGrant(accessToken: Secret("new"), refreshToken: Secret("r2")))
        try await process.waitUntilStored()
        #expect(try await rig.secret(rig.start(store).token()) == "new")
    }

    /// Somebody has signed in where nobody remembered anything: that login is left alone, and taken up when it is newer.
    @Test func aLoginInAnEmptiedStoreIsLeftAlone() async throws {
        let store = Forgetful()
        let process = rig.start(store)
        _ = try await process.rejected(process.token())
        store.inner.withLock { $0 = MemoryTokenStore() }
        let login = StoredToken(
            key: .default, generation: 1, login: 99,
            content: .granted(.init(accessToken: Secret("x"), refreshToken: Secret("y"), issuedAt: .zero)))
        #expect(try await store.store(login, for: .default, replacing: 0))
        rig.clock.advance(by: .seconds(3601))
        #expect(await code(process) == .reauthenticationRequired)
        #expect(try await store.load(.default) == login)
        #expect(rig.server.used == ["r0", "r1"])
    }

    @Test func aGrantThatIsUnderWayMendsALoss() async throws {
        let store = Forgetful()
        let process = rig.start(store)
        let lease = try await process.token()
        let gate = Gate()
        rig.server.hold(2, gate)
        let caller = Task { try await process.rejected(lease) }
        await gate.waitForArrivals(1)
        store.inner.withLock { $0 = MemoryTokenStore() }
        gate.open()
        #expect(try await rig.secret(caller.value) == "a2")
        #expect(try await rig.secret(rig.start(store).token()) == "a2")
    }
}
