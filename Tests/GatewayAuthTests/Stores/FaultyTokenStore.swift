import GatewayAuth
import GatewayCore
import GatewayTesting

/// What a store can get wrong, by the name of the check that must find it.
enum StoreFault: String, CaseIterable, Sendable {
    case empty
    case roundTrip = "round trip"
    case compareAndSwap = "compare and swap"
    case lateWriter = "late writer"
    case concurrentSwaps = "concurrent swaps"
    case keysApart = "keys apart"
    case exclusion
    case turns
    case cancelledWait = "cancelled wait"
    case secondRelease = "second release"
    case lostRecord = "lost record"
    case lastGeneration = "last generation"
    case preparing
}

/// A store in memory with one fault.
final class FaultyTokenStore: TokenStore {
    private let fault: StoreFault
    private let sound = MemoryTokenStore()
    private let holders = Locked<[String: Int]>([:])
    private let gates = Locked<[UInt64: Gate]>([:])

    init(_ fault: StoreFault) { self.fault = fault }

    func load(_ key: TokenKey) async throws(NetworkError) -> StoredToken? {
        let record = try await sound.load(place(key))
        if fault == .empty, record == nil {
            return StoredToken(key: key, generation: 1, login: 0, content: .signedIn)
        }
        if fault == .lostRecord, record?.content == .lost { return nil }
        guard fault == .roundTrip, let record, var grant = record.grant else { return record }
        grant.expiresAt = nil
        return StoredToken(
            key: key, generation: record.generation, login: record.login, content: .granted(grant))
    }

    func store(
        _ record: StoredToken, for key: TokenKey, replacing generation: UInt64
    ) async throws(NetworkError) -> Bool {
        switch fault {
        case .lastGeneration where record.generation > StoredToken.lastGeneration: return true
        case .compareAndSwap:
            let found = try await sound.load(key)?.generation ?? 0
            return try await sound.store(record, for: key, replacing: found)
        case .lateWriter where holders.withLock { $0[key.canonical] ?? 0 } > 0:
            let found = try await sound.load(key)?.generation ?? 0
            return try await sound.store(record, for: key, replacing: found)
        case .concurrentSwaps:
            let found = try await sound.load(key)?.generation ?? 0
            guard found == generation else { return false }
            // Two of those who swap at once have read before either writes.
            if record.grant?.accessToken.exposed.hasPrefix("token-") == true { await meet(generation) }
            let now = try await sound.load(key)?.generation ?? 0
            return try await sound.store(record, for: key, replacing: now)
        default: return try await sound.store(record, for: place(key), replacing: generation)
        }
    }

    func lock(_ key: TokenKey, deadline: Deadline) async throws(NetworkError) -> any TokenStoreLock {
        switch fault {
        case .exclusion, .turns: return Lock(inner: nil, fault: fault)
        case .cancelledWait:
            let sound = sound
            let wait = Task { () -> Result<any TokenStoreLock, NetworkError> in
                do throws(NetworkError) {
                    return .success(try await sound.lock(key, deadline: .after(.milliseconds(100))))
                } catch {
                    return .failure(error)
                }
            }
            return Lock(inner: try await wait.value.get(), fault: fault)
        case .secondRelease:
            // One flag for all holders.
            guard holders.withLock({ $0[key.canonical] ?? 0 }) == 0 else {
                throw NetworkError(.tokenStoreFailed, "busy")
            }
            holders.withLock { $0[key.canonical] = 1 }
            return Flag(key: key.canonical, store: self)
        case .preparing:
            return Emptying(inner: try await sound.lock(key, deadline: deadline), key: key, store: sound)
        default:
            if fault == .lateWriter { holders.withLock { $0[key.canonical] = 1 } }
            return Lock(inner: try await sound.lock(place(key), deadline: deadline), fault: fault)
        }
    }

    private func meet(_ generation: UInt64) async {
        let gate = gates.withLock { gates in
            let gate = gates[generation] ?? Gate()
            gates[generation] = gate
            return gate
        }
        async let passed: Void = gate.pass()
        await gate.waitForArrivals(2)
        gate.open()
        await passed
    }

    private func place(_ key: TokenKey) -> TokenKey { fault == .keysApart ? .default : key }

    private struct Lock: TokenStoreLock {
        let inner: (any TokenStoreLock)?
        let fault: StoreFault
        var isHeld: Bool { inner?.isHeld ?? true }
        func prepare(until deadline: Deadline?) async throws(NetworkError) {
            try await inner?.prepare(until: deadline)
        }
        func release() async { await inner?.release() }
    }

    /// Makes room by removing what is there.
    private struct Emptying: TokenStoreLock {
        let inner: any TokenStoreLock
        let key: TokenKey
        let store: MemoryTokenStore
        var isHeld: Bool { inner.isHeld }
        func prepare(until deadline: Deadline?) async throws(NetworkError) {
            let found = try await store.load(key)?.generation ?? 0
            let blank = StoredToken(key: key, generation: found + 1, login: 0, content: .signedIn)
            _ = try await store.store(blank, for: key, replacing: found)
        }
        func release() async { await inner.release() }
    }

    private struct Flag: TokenStoreLock {
        let key: String
        let store: FaultyTokenStore
        var isHeld: Bool { store.holders.withLock { $0[key] == 1 } }
        func prepare(until deadline: Deadline?) async throws(NetworkError) {}
        func release() async { store.holders.withLock { $0[key] = 0 } }
    }
}
