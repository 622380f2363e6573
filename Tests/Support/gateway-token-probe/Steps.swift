import Foundation
import GatewayAuth
import GatewayCore

/// Says a line, whole and at once.
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

/// Stops for ever at one step, so that a test can kill the process there.
final class StopAt: Sendable {
    private let step = Locked<String?>(nil)

    /// Names the step.
    func arm(_ step: String) { self.step.withLock { $0 = step } }

    private func isReached(_ step: String) -> Bool { self.step.withLock { $0 == step } }

    func pause(_ step: String) async {
        guard isReached(step) else { return }
        say("stopped \(step)")
        await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
    }

    /// On a thread that may block.
    func block(_ step: String) {
        guard isReached(step) else { return }
        say("stopped \(step)")
        while true { sleep(3600) }
    }
}

/// Stops before and after what is done with a store.
final class SteppingStore: TokenStore {
    private let store: any TokenStore
    private let stop: StopAt
    private let hasLocked = Locked(false)

    init(_ store: any TokenStore, _ stop: StopAt) {
        self.store = store
        self.stop = stop
    }

    /// The next refresh begins.
    func begin() { hasLocked.withLock { $0 = false } }

    func load(_ key: TokenKey) async throws(NetworkError) -> StoredToken? {
        let record = try await store.load(key)
        await stop.pause(hasLocked.withLock { $0 } ? "looked-again" : "looked")
        return record
    }

    func store(
        _ record: StoredToken, for key: TokenKey, replacing generation: UInt64
    ) async throws(NetworkError) -> Bool {
        await stop.pause("storing")
        let isStored = try await store.store(record, for: key, replacing: generation)
        await stop.pause("stored")
        return isStored
    }

    func lock(_ key: TokenKey, deadline: Deadline) async throws(NetworkError) -> any TokenStoreLock {
        say("locking")
        let lock = try await store.lock(key, deadline: deadline)
        hasLocked.withLock { $0 = true }
        await stop.pause("locked")
        return Lock(lock: lock, stop: stop)
    }

    private struct Lock: TokenStoreLock {
        let lock: any TokenStoreLock
        let stop: StopAt
        var isHeld: Bool { lock.isHeld }
        func prepare(until deadline: Deadline?) async throws(NetworkError) {
            try await lock.prepare(until: deadline)
            await stop.pause("prepared")
        }
        func release() async {
            await stop.pause("releasing")
            await lock.release()
        }
    }
}

/// Stops before and after the request.
struct SteppingAcquirer: TokenAcquirer {
    private let acquirer: any TokenAcquirer
    private let stop: StopAt

    init(_ acquirer: any TokenAcquirer, _ stop: StopAt) {
        self.acquirer = acquirer
        self.stop = stop
    }

    func isSingleUse(after previous: TokenGrant?) -> Bool { acquirer.isSingleUse(after: previous) }

    func acquire(_ request: TokenRequest) async throws -> TokenGrant {
        await stop.pause("asking")
        let grant = try await acquirer.acquire(request)
        await stop.pause("granted")
        return grant
    }
}
