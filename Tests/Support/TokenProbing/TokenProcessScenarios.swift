import GatewayCore
import GatewayTesting

/// What several processes and a store must bring about together, whatever the store. Failures are values.
public struct TokenProcessScenarios: Sendable {
    /// How the lock of a process that is gone, or stopped, comes to its end.
    public enum Waits: Sendable {
        /// By its lifetime, which is waited out, like other limits of a few seconds. For tests in real time.
        case real
        /// By the test, or, without a control, together with its process. Other limits are long, and nothing waits for them.
        case none(LockControl?)
    }

    /// A lock that ends by itself, in the hands of the test.
    public struct LockControl: Sendable {
        let lifetime: Duration
        let timeLeft: @Sendable () async throws -> Duration?
        let end: @Sendable () async throws -> Void

        /// - Parameters:
        ///   - lifetime: how long a lock lasts from its last renewal.
        ///   - timeLeft: how long the lock lasts still; `nil` without a lock.
        ///   - end: ends the lock, as if that time had passed.
        public init(
            lifetime: Duration, timeLeft: @escaping @Sendable () async throws -> Duration?,
            end: @escaping @Sendable () async throws -> Void
        ) {
            (self.lifetime, self.timeLeft, self.end) = (lifetime, timeLeft, end)
        }
    }

    static let longLimits = (refresh: 60_000, exchange: 120_000, patience: 60_000)

    private let store: String
    private let waits: Waits

    /// - Parameters:
    ///   - store: an empty one, as ``TokenProbe`` takes it.
    ///   - waits: what is waited out.
    public init(store: String, waits: Waits) { (self.store, self.waits) = (store, waits) }

    var isRealTime: Bool { if case .real = waits { true } else { false } }
    var lock: LockControl? { if case .none(let lock) = waits { lock } else { nil } }
    /// In real time, for several lifetimes of a lock; else one attempt is enough.
    var tryLock: String { isRealTime ? "try-lock 3000" : "try-lock 20" }

    /// Where a process can be killed, with whether it has stored the new refresh token by then.
    public static let steps: [(step: String, hasStored: Bool)] = [
        ("looked", false), ("locked", false), ("looked-again", false), ("prepared", false),
        ("asking", false), ("granted", false), ("storing", false), ("stored", true), ("releasing", true),
    ]

    /// The steps that writing a file has besides.
    public static let fileSteps: [(step: String, hasStored: Bool)] = [
        ("file-part-written", false), ("file-written", false), ("file-synced", false), ("file-renamed", true),
        ("file-directory-synced", true),
    ]

    /// Those at which a refresh token is spent and its successor is not stored.
    public static let spentSteps = ["granted", "storing"]
    public static let spentFileSteps = ["file-part-written", "file-written", "file-synced"]

    func gateway(rotating: Bool = true) throws -> EmbeddedGateway {
        var configuration = EmbeddedGateway.Configuration()
        configuration.rotatesRefreshTokens = rotating
        return try EmbeddedGateway.start(configuration)
    }

    func probe(
        _ gateway: EmbeddedGateway, _ token: String,
        limits: (refresh: Int, exchange: Int, patience: Int)? = nil
    ) throws -> TokenProbe {
        try TokenProbe(store: store, gateway: gateway, refreshToken: token, limits: limits)
    }

    func check(_ isSo: Bool, _ text: String) -> [String] { isSo ? [] : [text] }

    /// Many processes at once make one request, twice: for the first token, and after its rejection.
    public func oneRequest(processes count: Int) async throws -> [String] {
        let gateway = try gateway()
        defer { gateway.shutdown() }
        let first = try gateway.signIn()
        let probes = try (0..<count).map { _ in try probe(gateway, first.refreshToken.exposed) }
        for probe in probes { _ = await probe.line("ready") }
        var failures: [String] = []
        for (round, command) in ["token", "reject", "reject"].enumerated() {
            // All have looked into the store before the first has its answer.
            let hold = gateway.hold(.token)
            async let answers = answers(of: probes, to: command)
            await hold.waitForArrivals(1)
            for probe in probes { _ = await probe.nth(round + 1, "locking") }
            hold.release()
            let tokens = Set(await answers)
            failures += check(
                tokens.count == 1 && tokens.first?.hasPrefix("token ") == true,
                "\(command): \(tokens.sorted())")
            let asked = gateway.statistics.tokenRequestCount
            failures += check(asked == round + 1, "\(command): \(asked) requests")
        }
        for probe in probes { await probe.kill() }
        return failures
    }

    private func answers(of probes: [TokenProbe], to command: String) async -> [String] {
        await withTaskGroup(of: String.self) { group in
            for probe in probes { group.addTask { await probe.ask(command) ?? "died" } }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    /// A process is killed at a step. The next one finds a whole record or none, and recovers.
    ///
    /// - Parameter rotating: whether the server spends refresh tokens. Then what was granted and not stored is lost,
    ///   and somebody must sign in again; but nothing is torn, and nobody waits for a dead process longer than its
    ///   request could have taken.
    public func killed(at step: String, hasStored: Bool, rotating: Bool) async throws -> [String] {
        let gateway = try gateway(rotating: rotating)
        defer { gateway.shutdown() }
        let token = try gateway.signIn().refreshToken.exposed
        // A lock in Redis outlives a dead holder for the limit of its request and a little more.
        let exchange = isRealTime ? 2500 : Self.longLimits.exchange
        let victim = try probe(gateway, token, limits: (exchange, exchange, 60_000))
        // A first record, so that there is something to tear.
        let begun = await victim.ask("token") ?? "died"
        var failures = check(begun.hasPrefix("token "), "the first token: \(begun)")
        gateway.revokeCurrentTokens()
        _ = await victim.ask("stop-at \(step)", "armed")
        // It is told that its token was rejected, and stops on the way to the next.
        let stopped = await victim.ask("reject", "stopped")
        failures += check(stopped == "stopped \(step)", "it did not stop at \(step)")
        await victim.kill()
        let asked = gateway.statistics.tokenRequestCount
        if let lock, let left = try await lock.timeLeft() {
            let limit = Duration.milliseconds(exchange) + .seconds(2)
            failures += check(left <= limit, "a dead holder's lock lasts \(left)")
            try await lock.end()
        }

        let next = try probe(gateway, token, limits: Self.longLimits)
        let found = await next.ask("token") ?? "died"
        failures += check(found.hasPrefix("token "), "after \(step) the record is gone: \(found)")
        if hasStored {
            failures += check(found != begun, "after \(step) the new token is not there")
            failures += check(
                gateway.statistics.tokenRequestCount == asked, "after \(step) a request too many")
        } else {
            failures += check(found == begun, "after \(step) the record is another")
            let wasAsked = asked > 1
            let renewed = await next.ask("reject") ?? "died"
            if rotating, wasAsked {
                failures += check(renewed == "error reauthentication_required", "after \(step): \(renewed)")
            } else {
                failures += check(
                    renewed.hasPrefix("token ") && renewed != begun, "after \(step): \(renewed)")
            }
            failures += check(
                gateway.statistics.tokenRequestCount == asked + 1, "after \(step) not one further request")
        }
        await next.kill()
        return failures
    }

    /// A holder that lives and is slow keeps its lock; one that was killed lets the next in.
    public func slowHolder() async throws -> [String] {
        let gateway = try gateway()
        defer { gateway.shutdown() }
        let token = try gateway.signIn().refreshToken.exposed
        let (slow, waiting) = (try probe(gateway, token), try probe(gateway, token))
        let hold = gateway.hold(.token)
        slow.tell("token")
        await hold.waitForArrivals(1)
        waiting.tell("token")
        _ = await waiting.line("locking")
        let third = try probe(gateway, token)
        var failures: [String] = []
        let answer = await third.ask(tryLock, "locked", "error ")
        failures += check(
            answer == "error token_store_failed", "a slow holder was evicted: \(answer ?? "died")")
        failures += check(hold.arrivals == 1, "\(hold.arrivals) requests beside a slow holder")
        hold.release()
        let tokens = [await slow.line("token ", "error "), await waiting.line("token ", "error ")]
        failures += check(
            tokens[0] == tokens[1] && tokens[0]?.hasPrefix("token ") == true, "\(tokens)")
        failures += check(gateway.statistics.tokenRequestCount == 1, "not one request")

        _ = await slow.ask("lock", "locked")
        waiting.tell("lock")
        await slow.kill()
        try await lock?.end()
        let recovered = await waiting.line("locked", "error ")
        failures += check(recovered == "locked", "a dead holder's lock: \(recovered ?? "died")")
        for probe in [waiting, third] { await probe.kill() }
        return failures
    }

    /// A process that may open no further file sends nothing, and goes on when it may.
    ///
    /// - Parameter isStoreOpened: whether the store opens files for each refresh, and not only for the first.
    public func descriptorsAtTheirLimit(storeIsOpenedEachTime isStoreOpened: Bool) async throws -> [String] {
        let gateway = try gateway()
        defer { gateway.shutdown() }
        let probe = try probe(gateway, try gateway.signIn().refreshToken.exposed)
        var failures: [String] = []
        for (round, command) in ["token", "reject"].enumerated() where round == 0 || isStoreOpened {
            _ = await probe.ask("exhaust", "exhausted")
            for _ in 0..<3 {
                let answer = await probe.ask(command) ?? "died"
                failures += check(answer == "error token_store_failed", "\(command): \(answer)")
            }
            let asked = gateway.statistics.tokenRequestCount
            failures += check(asked == round, "\(command): \(asked) requests")
            _ = await probe.ask("restore", "restored")
            let answer = await probe.ask("retry") ?? "died"
            failures += check(answer.hasPrefix("token "), "after \(command): \(answer)")
            let sent = gateway.statistics.tokenRequestCount
            failures += check(sent == round + 1, "after \(command): \(sent) requests")
        }
        let next = await probe.ask("reject") ?? "died"
        failures += check(next.hasPrefix("token "), "afterwards: \(next)")
        await probe.kill()
        return failures
    }

    /// A holder is stopped until its lock has ended, another one renews the token, and the first goes on.
    public func lateWriter() async throws -> [String] {
        let gateway = try gateway()
        defer { gateway.shutdown() }
        let token = try gateway.signIn().refreshToken.exposed
        let (late, next) = (try probe(gateway, token), try probe(gateway, token))
        _ = await late.ask("token")
        _ = await late.ask("lock", "locked")
        late.setStopped(true)
        // In real time the lock ends by itself, since nobody renews it.
        try await lock?.end()
        let locked = await next.ask("lock", "locked", "error ")
        var failures = check(
            locked == "locked", "a lock outlives a holder that stands still: \(locked ?? "died")")
        _ = await next.ask("unlock", "unlocked")
        _ = await next.ask("token")
        let renewed = await next.ask("reject") ?? "died"
        failures += check(renewed.hasPrefix("token "), "\(renewed)")
        late.setStopped(false)
        if isRealTime {
            let held = await late.ask("held", "yes", "no")
            failures += check(held == "no", "who stood still believes in its lock")
        }
        let stolen = await late.ask("steal", "written", "refused")
        failures += check(stolen == "refused", "a late writer overwrites: \(stolen ?? "died")")
        // And when it lets go, it lets go of nothing that is another's.
        _ = await next.ask("lock", "locked")
        _ = await late.ask("unlock", "unlocked")
        let tried = await late.ask(tryLock, "locked", "error ")
        failures += check(tried == "error token_store_failed", "a late release ends another's lock")
        let rejected = await late.ask("reject") ?? "died"
        failures += check(rejected == renewed, "the late one gets \(rejected)")
        for probe in [late, next] { await probe.kill() }
        return failures
    }
}

extension TokenProbe {
    /// Returns when it has said so many lines that begin so.
    func nth(_ count: Int, _ prefix: String) async -> String? {
        var skipped = 0
        var line: String?
        for _ in 0..<count {
            line = await self.line(after: skipped, prefix)
            guard let line, let index = lines.dropFirst(skipped).firstIndex(of: line) else { return nil }
            skipped = index + 1
        }
        return line
    }
}
