public import GatewayAuth
public import GatewayCore

/// Checks that a ``GatewayAuth/TokenStore`` meets its requirements.
///
/// ```swift
/// @Test func conforms() async {
///     let failures = await TokenStoreConformance { [MyStore(database), MyStore(database)] }.failures()
///     #expect(failures == [])
/// }
/// ```
/// Failures are returned as values, so the suite works inside and outside of a test run.
public struct TokenStoreConformance: Sendable {
    private let make: @Sendable () async throws -> [any TokenStore]
    private let clock: any GatewayClock

    /// Creates a suite.
    ///
    /// - Parameters:
    ///   - clock: the clock of the stores. It must run by itself.
    ///   - make: returns at least one store; several stores share one storage. The storage is new and empty each time.
    public init(
        clock: any GatewayClock = SystemClock(),
        _ make: @escaping @Sendable () async throws -> [any TokenStore]
    ) {
        self.make = make
        self.clock = clock
    }

    /// Runs all checks, in some tenths of a second.
    ///
    /// - Returns: the failures, each with the name of its check; empty if there are none.
    public func failures() async -> [String] {
        let checks: [(String, @Sendable (Handles, inout Findings) async throws -> Void)] = [
            ("empty", empty), ("round trip", roundTrip), ("compare and swap", compareAndSwap),
            ("late writer", lateWriter), ("concurrent swaps", concurrentSwaps), ("keys apart", keysApart),
            ("exclusion", exclusion), ("turns", turns), ("cancelled wait", cancelledWait),
            ("second release", secondRelease), ("lost record", lostRecord),
            ("last generation", lastGeneration), ("preparing", preparing),
        ]
        return await ConformanceFindings.failures(
            checks.map { [make] (name, check) in
                (name, { try await check(Handles(all: try await make()), &$0) })
            }
        ) { error in
            (error as? NetworkError).map { "\($0.code): \($0.message)" } ?? "\(type(of: error))"
        }
    }

    private struct Handles: Sendable {
        let all: [any TokenStore]
        var first: any TokenStore { all[0] }
        var second: any TokenStore { all[all.count - 1] }
    }

    private static let key = TokenKey(issuer: "https://login.example.com", client: "conformance")

    private var soon: Deadline { .after(.milliseconds(60), clock: clock) }
    private var late: Deadline { .after(.seconds(20), clock: clock) }

    private func record(_ generation: UInt64, _ text: String = "token", key: TokenKey = key) -> StoredToken {
        StoredToken(
            key: key, generation: generation, login: 1,
            content: .granted(.init(accessToken: Secret(text), issuedAt: .seconds(1_767_225_600))))
    }

    // MARK: Records

    private func empty(_ stores: Handles, _ found: inout Findings) async throws {
        let record = try await stores.first.load(Self.key)
        let swapped = try await stores.first.store(self.record(2), for: Self.key, replacing: 1)
        found.expect(record == nil, "an empty store gives a record")
        found.expect(!swapped, "a record that is not there is replaced")
    }

    private func roundTrip(_ stores: Handles, _ found: inout Findings) async throws {
        let odd = "ü \"quoted\" \\ \n\r\t\u{0} \u{1F600} %7C|;,"
        let contents: [StoredToken.Content] = [
            .signedOut, .signedIn, .lost,
            .granted(.init(accessToken: Secret("a"), issuedAt: .zero)),
            .granted(
                .init(
                    accessToken: Secret(String(repeating: "x", count: 100_000)), refreshToken: Secret(odd),
                    issuedAt: .milliseconds(1_767_225_600_123), expiresAt: .milliseconds(1_767_229_200_123),
                    scopes: ["books:read", odd])),
            .granted(
                .init(accessToken: Secret("a"), issuedAt: .seconds(1), expiresAt: .seconds(2), scopes: [])),
        ]
        let key = TokenKey(issuer: odd, subject: "../../etc/passwd")
        var generation: UInt64 = 0
        for content in contents {
            // The last ones cannot be represented exactly as floating-point numbers.
            let next = generation < 3 ? generation + 1 : max(generation + 1, StoredToken.lastGeneration - 10)
            // The store keeps the ended logins, no matter how often the record is replaced.
            let ended = [UInt64](repeating: .max - next, count: Int(next % 3))
            let record = StoredToken(
                key: key, generation: next, login: .max - next, content: content, endedLogins: ended)
            found.expect(
                try await stores.first.store(record, for: key, replacing: generation), "\(next) is not stored"
            )
            found.expect(try await stores.second.load(key) == record, "\(next) comes back otherwise")
            generation = next
        }
    }

    private func compareAndSwap(_ stores: Handles, _ found: inout Findings) async throws {
        let (a, b) = (record(1, "a"), record(5, "b"))
        found.expect(
            try await stores.first.store(a, for: Self.key, replacing: 0), "the first is not stored")
        found.expect(
            !(try await stores.second.store(b, for: Self.key, replacing: 0)), "a record counts as none")
        found.expect(try await stores.first.load(Self.key) == a, "a refused swap changes the record")
        found.expect(
            try await stores.second.store(b, for: Self.key, replacing: 1), "the right one is not replaced")
        found.expect(try await stores.first.load(Self.key) == b, "the new one is not there")
    }

    /// A holder that has lost its lock without noticing cannot store a record, because the generation differs.
    private func lateWriter(_ stores: Handles, _ found: inout Findings) async throws {
        _ = try await stores.first.store(record(1), for: Self.key, replacing: 0)
        let lock = try await stores.first.lock(Self.key, deadline: late)
        let newer = record(2, "newer")
        found.expect(
            try await stores.second.store(newer, for: Self.key, replacing: 1), "writing depends on the lock")
        found.expect(
            !(try await stores.first.store(record(2, "late"), for: Self.key, replacing: 1)),
            "the holder of a lock overwrites a newer record")
        await lock.release()
        found.expect(try await stores.first.load(Self.key) == newer, "the newer record is gone")
    }

    /// A record with the content `lost` is stored like any other, so that every process detects the loss.
    private func lostRecord(_ stores: Handles, _ found: inout Findings) async throws {
        _ = try await stores.first.store(record(1), for: Self.key, replacing: 0)
        let note = StoredToken(key: Self.key, generation: 2, login: 1, content: .lost)
        found.expect(
            try await stores.first.store(note, for: Self.key, replacing: 1), "the note is not stored")
        found.expect(try await stores.second.load(Self.key) == note, "the note is not there")
        found.expect(
            try await stores.second.store(record(3), for: Self.key, replacing: 2), "it cannot be replaced")
        found.expect(try await stores.first.load(Self.key) == record(3), "the record is not there")
    }

    /// A record above the last generation is not stored.
    private func lastGeneration(_ stores: Handles, _ found: inout Findings) async throws {
        let last = StoredToken.lastGeneration
        found.expect(
            try await stores.first.store(record(last), for: Self.key, replacing: 0), "the last is not stored")
        found.expect(try await stores.second.load(Self.key) == record(last), "the last is not there")
        for generation in [last + 1, .max] {
            do {
                _ = try await stores.first.store(record(generation), for: Self.key, replacing: last)
                found.add("a generation of \(generation) is accepted")
            } catch {
                found.expect(error.code == .tokenStoreFailed, "\(generation) is \(error.code)")
            }
        }
        found.expect(try await stores.second.load(Self.key) == record(last), "the last is gone")
    }

    /// Preparing for a request changes no record, and can be repeated.
    private func preparing(_ stores: Handles, _ found: inout Findings) async throws {
        for generation in 0..<2 as Range<UInt64> {
            let lock = try await stores.first.lock(Self.key, deadline: late)
            let before = try await stores.second.load(Self.key)
            for deadline in [nil, late] { try await lock.prepare(until: deadline) }
            found.expect(lock.isHeld, "preparing ends the lock")
            found.expect(
                try await stores.second.load(Self.key) == before, "preparing changes the record")
            found.expect(
                try await stores.first.store(
                    record(generation + 1), for: Self.key, replacing: generation),
                "nothing can be stored after preparing")
            await lock.release()
            found.expect(
                try await stores.second.load(Self.key) == record(generation + 1), "the record is not there")
        }
    }

    private func concurrentSwaps(_ stores: Handles, _ found: inout Findings) async throws {
        for generation in 0..<4 as Range<UInt64> {
            let start = Gate()
            let winners = try await withThrowingTaskGroup(of: Bool.self) { group in
                for index in 0..<16 {
                    let store = stores.all[index % stores.all.count]
                    let record = record(generation + 1, "token-\(index)")
                    group.addTask {
                        await start.pass()
                        return try await store.store(record, for: Self.key, replacing: generation)
                    }
                }
                await start.waitForArrivals(16)
                start.open()
                return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            found.expect(winners == 1, "\(winners) of 16 swaps succeed")
        }
    }

    private func keysApart(_ stores: Handles, _ found: inout Findings) async throws {
        let other = TokenKey(issuer: "https://login.example.com", client: "conformance", scopes: ["x"])
        _ = try await stores.first.store(record(1), for: Self.key, replacing: 0)
        found.expect(try await stores.first.load(other) == nil, "a record is found under another key")
        let lock = try await stores.first.lock(Self.key, deadline: late)
        let second = try await stores.second.lock(other, deadline: soon)
        found.expect(second.isHeld, "a lock of another key is not held")
        await second.release()
        await lock.release()
    }

    // MARK: Locks

    private func exclusion(_ stores: Handles, _ found: inout Findings) async throws {
        let lock = try await stores.first.lock(Self.key, deadline: late)
        found.expect(lock.isHeld, "a lock that was given is not held")
        for store in stores.all {
            do {
                _ = try await store.lock(Self.key, deadline: soon)
                found.add("two hold one lock")
            } catch {
                found.expect(error.code == .tokenStoreFailed, "a busy lock is \(error.code)")
            }
        }
        await lock.release()
        found.expect(!lock.isHeld, "a lock that was released is held")
        let next = try await stores.second.lock(Self.key, deadline: late)
        await next.release()
    }

    private func turns(_ stores: Handles, _ found: inout Findings) async throws {
        let inside = Locked((now: 0, most: 0, total: 0))
        let (start, clock) = (Gate(), clock)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<12 {
                let store = stores.all[index % stores.all.count]
                let deadline = late
                group.addTask { @Sendable in
                    await start.pass()
                    let lock = try await store.lock(Self.key, deadline: deadline)
                    inside.withLock { inside in
                        inside.now += 1
                        inside.most = max(inside.most, inside.now)
                    }
                    try await clock.sleep(until: clock.now + .milliseconds(2))
                    inside.withLock { inside in
                        inside.now -= 1
                        inside.total += 1
                    }
                    await lock.release()
                }
            }
            await start.waitForArrivals(12)
            start.open()
            try await group.waitForAll()
        }
        let (most, total) = inside.withLock { ($0.most, $0.total) }
        found.expect(most == 1, "\(most) hold one lock")
        found.expect(total == 12, "\(total) of 12 had their turn")
    }

    private func cancelledWait(_ stores: Handles, _ found: inout Findings) async throws {
        let lock = try await stores.first.lock(Self.key, deadline: late)
        let (second, deadline) = (stores.second, late)
        let waiter = Task { @Sendable in await Self.failure(of: second, deadline) }
        for _ in 0..<50 { await Task.yield() }
        waiter.cancel()
        let code = await waiter.value
        await lock.release()
        let next = try await stores.first.lock(Self.key, deadline: late)
        await next.release()
        found.expect(code == .cancelled, "a cancelled wait ends with \(code?.name ?? "the lock")")
    }

    /// The error code of locking; `nil` if it succeeds.
    private static func failure(of store: any TokenStore, _ deadline: Deadline) async -> NetworkError.Code? {
        do {
            await (try await store.lock(key, deadline: deadline)).release()
            return nil
        } catch {
            return error.code
        }
    }

    private func secondRelease(_ stores: Handles, _ found: inout Findings) async throws {
        let lock = try await stores.first.lock(Self.key, deadline: late)
        await lock.release()
        let next = try await stores.first.lock(Self.key, deadline: late)
        await lock.release()
        found.expect(next.isHeld, "a second release ends the lock of another")
        do {
            _ = try await stores.second.lock(Self.key, deadline: soon)
            found.add("a second release lets a third in")
        } catch {}
        await next.release()
    }
}
