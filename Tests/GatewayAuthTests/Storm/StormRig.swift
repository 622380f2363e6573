import GatewayAuth
import GatewayCore
import GatewayTesting
import TokenProbing

/// A store that processes share, and what can happen to it.
protocol StormStore: Sendable {
    var kind: StormRound.Store { get }
    /// As `TokenProbe` takes it.
    var address: String { get }
    /// A directory that outlives it.
    var witness: String? { get }
    /// Whether it can be filled; otherwise the processes' own files are limited.
    var canBeFilled: Bool { get }
    /// Lets something happen to it, and returns when it is over. Events of other kinds do nothing.
    func perform(_ event: StormRound.Event, noting journal: StormJournal) async throws
    func close() async
}

/// How long things last in a storm.
struct StormLimits: Sendable {
    /// The lifetime of access tokens, in seconds.
    var tokenLifetime = 3
    /// How long a request for a token may take, in milliseconds. For that time a process that sends a refresh token keeps
    /// the others from it.
    var exchange = 3000
    /// How long a call may take, in nanoseconds.
    var callLimit: UInt64 = 15_000_000_000

    /// Nothing is judged by time, whatever the machine does meanwhile.
    static let gate = StormLimits(
        tokenLifetime: 300, exchange: 120_000, callLimit: 3_600_000_000_000)
}

/// A token server that rotates refresh tokens, processes that share a store, and what goes wrong.
final class StormRig: Sendable {
    struct Failed: Error, CustomStringConvertible {
        let description: String
    }

    /// How long processes may take to get a response again; a busy machine is given time.
    private static let recoveryLimit = 30_000
    /// For so many rounds what happened can explain what happens.
    private static let memory = 10

    let journal = StormJournal()
    private let gateway: EmbeddedGateway
    private let store: any StormStore
    private let processes: StormProcesses
    private let seed: UInt64
    private let limits: StormLimits
    private let reuses = Locked<[String: StormVerdict.Reason]>([:])
    private let beginnings = Locked<[UInt64]>([])
    private let lastLogin = Locked<UInt64>(0)

    /// - Parameter seed: what the rounds are drawn from, for the report.
    init(store: any StormStore, seed: UInt64 = 0, limits: StormLimits = StormLimits()) throws {
        var configuration = EmbeddedGateway.Configuration()
        configuration.accessTokenLifetime = .seconds(limits.tokenLifetime)
        gateway = try EmbeddedGateway.start(configuration)
        (self.store, self.seed, self.limits) = (store, seed, limits)
        processes = StormProcesses(
            gateway: gateway, store: store, exchangeLimit: limits.exchange, journal: journal)
    }

    /// Runs rounds until one has a fault.
    ///
    /// - Returns: a line with figures.
    func run(_ rounds: [StormRound]) async throws -> String {
        for place in 0..<StormRound.places { try await processes.start(place, calling: false) }
        try await logIn()
        for place in processes.all { place.probe?.tell("call") }
        for round in rounds {
            try await run(round)
            try judge(round.number)
        }
        await end()
        try judge((rounds.last?.number ?? 0) + 1)
        let figures = journal.figures
        let explained = StormVerdict.Reason.allCases.map { reason in
            "\(reuses.withLock { $0.values.filter { $0 == reason }.count }) by \(reason.rawValue)"
        }
        return """
            storm over \(store.kind): \(rounds.count) rounds, \(figures.calls) calls, \(figures.refreshes) refreshes, \
            \(figures.kills) kills, \(figures.logins) sign-ins, \
            reuses explained: \(explained.joined(separator: ", ")); seed \(seed)
            """
    }

    /// Lets go of everything.
    func close() async {
        for place in processes.all { await place.probe?.kill() }
        gateway.shutdown()
        await store.close()
    }

    // MARK: Rounds

    private func run(_ round: StormRound) async throws {
        journal.note("driver", .round(round.number))
        beginnings.withLock { $0.append(StormJournal.now) }
        gateway.revokeCurrentTokens()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (delay, event) in round.events {
                group.addTask { [self] in
                    await StormClock.pause(delay)
                    try await perform(event)
                }
            }
            try await group.waitForAll()
        }
        gateway.removeFaults()
        gateway.revokeCurrentTokens()
        journal.note("driver", .healed(round.number))
        // After the note, so that a response that counts here counts for the verdict, too.
        await recover(since: StormJournal.now)
        journal.note("driver", .over(round.number))
    }

    /// Waits until every process has a response again. Where one is asked for a sign-in and stays so, somebody signs in.
    private func recover(since healed: UInt64) async {
        await StormClock.wait(Self.recoveryLimit) {
            let places = processes.all
            if places.allSatisfy({ $0.lastSuccess > healed || $0.hasCrashed }) { return true }
            let isLost = places.contains {
                $0.lastOutcome == "reauthentication_required" && $0.lastSuccess < healed
            }
            // What one process lost another may have, and the first looks again after a while.
            let since = max(healed, lastLogin.withLock { $0 })
            if isLost, StormJournal.now - since > 500_000_000 { try? await logIn() }
            return false
        }
    }

    private func logIn() async throws {
        let login = try gateway.signIn()
        processes.setInitial(login.refreshToken)
        let digest = EmbeddedGateway.RefreshTokenUse.digest(of: login.refreshToken)
        let all = processes.all
        let first = Int(journal.figures.logins) % all.count
        for place in all[first...] + all[..<first] {
            guard let probe = place.probe else { continue }
            journal.note("driver", .login(token: digest))
            let answer = await probe.ask(
                "signin \(login.access.token.exposed) \(login.refreshToken.exposed) \(limits.tokenLifetime)",
                "signed-in", "error")
            lastLogin.withLock { $0 = StormJournal.now }
            if answer == "signed-in" { return journal.note("driver", .loggedIn) }
            journal.note("driver", .act("\(place.name) cannot sign in: \(answer ?? "gone")"))
        }
    }

    /// Has all processes end their calls and go.
    private func end() async {
        for place in processes.all { place.probe?.tell("end") }
        await StormClock.wait(Self.recoveryLimit) {
            processes.all.allSatisfy { $0.begun.isEmpty || $0.probe == nil }
        }
        for place in processes.all {
            journal.note("driver", .kill(place.name))
            await place.probe?.kill()
        }
    }

    // MARK: Events

    private func perform(_ event: StormRound.Event) async throws {
        journal.note("driver", .act("\(event)"))
        switch event {
        case .kill(let place, let restart): try await kill(place, restart)
        case .killSender(let after, let restart):
            // The answer comes late, so that kills hit every part of the exchange.
            renew(after: .answerLate(by: .milliseconds(15)))
            guard let place = await processes.nextSender() else { return }
            await StormClock.pause(after)
            try await kill(place, restart)
        case .stop(let place, let duration): await stop(place, duration)
        case .stopSender(let after, let duration):
            renew(after: .answerLate(by: .milliseconds(15)))
            guard let place = await processes.nextSender() else { return }
            await StormClock.pause(after)
            await stop(place, duration)
        case .lateAnswer(let delay):
            renew(after: .answerLate(by: .milliseconds(delay)))
            await StormClock.pause(delay)
        case .lostRequest: renew(after: .drop)
        case .slow(let delay):
            renew(after: .latency(.milliseconds(delay)))
            await StormClock.pause(delay)
        case .unavailable(let times): renew(after: .status(503), times: times)
        case .revoke: gateway.revokeCurrentTokens()
        case .descriptors(let place, let duration): try await starve(place, duration)
        case .fileSize(let place, let duration): await limitFiles(place, duration)
        case .fullDisk(let duration) where !store.canBeFilled:
            await withTaskGroup(of: Void.self) { group in
                for place in 0..<StormRound.places {
                    group.addTask { [self] in await limitFiles(place, duration) }
                }
            }
        default: try await store.perform(event, noting: journal)
        }
    }

    /// Lets something go wrong with the next token request, and has one made.
    private func renew(after fault: EmbeddedGateway.Fault, times: Int = 1) {
        gateway.inject(fault, into: .token, times: times)
        gateway.revokeCurrentTokens()
    }

    private func kill(_ place: Int, _ restart: Int) async throws {
        try await processes.withProcess(place) { probe, name in
            journal.note("driver", .kill(name))
            await probe.kill()
            await StormClock.pause(restart)
            try await processes.start(place)
        }
    }

    private func stop(_ place: Int, _ duration: Int) async {
        await processes.withProcess(place) { probe, name in
            journal.note("driver", .stop(name))
            probe.setStopped(true)
            await StormClock.pause(duration)
            probe.setStopped(false)
            journal.note("driver", .proceed(name))
        }
    }

    private func limitFiles(_ place: Int, _ duration: Int) async {
        await processes.withProcess(place) { probe, _ in
            _ = await probe.ask("limit-files", "exhausted")
            await StormClock.pause(duration)
            _ = await probe.ask("restore-files", "restored")
        }
    }

    private func starve(_ place: Int, _ duration: Int) async throws {
        try await processes.withProcess(place) { probe, name in
            journal.note("driver", .starve(name))
            _ = await probe.ask("exhaust", "exhausted")
            await StormClock.pause(duration)
            let isThere = await probe.ask("restore", "restored") != nil
            journal.note("driver", .feed(name))
            // The verdict says whether it may have ended.
            if !isThere { try await processes.start(place) }
        }
    }

    // MARK: Verdict

    private func judge(_ number: Int) throws {
        journal.add(gateway.takeRefreshTokenUses())
        let beginnings = beginnings.withLock { $0 }
        // The round before is judged again: of it, too, lines may have come late.
        let start = beginnings.dropLast().last ?? 0
        let verdict = StormVerdict(journal.entries, from: start, callLimit: limits.callLimit)
        reuses.withLock { $0.merge(verdict.reuses) { first, _ in first } }
        if let fault = verdict.faults.first {
            throw Failed(description: report(fault, number, others: verdict.faults.dropFirst().map(\.text)))
        }
        if let horizon = beginnings.suffix(Self.memory).first { journal.forget(before: horizon) }
    }

    private func report(_ fault: StormVerdict.Fault, _ number: Int, others: [String]) -> String {
        var outcomes: [String: String] = [:]
        let around = journal.entries.sorted { $0.time < $1.time }.filter { entry in
            guard entry.time > fault.time &- 2_500_000_000, entry.time < fault.time &+ 300_000_000 else {
                return false
            }
            // Calls say something where they end in another way than the one before.
            switch entry.what {
            case .call: return false
            case .ended(_, let outcome):
                defer { outcomes[entry.who] = outcome }
                return outcomes[entry.who] != outcome
            default: return true
            }
        }
        return """
            \(fault.text)
            seed \(seed), round \(number), store \(store.kind): GATEWAY_STORM_SEED=\(seed) GATEWAY_STORM_ROUND=\(number) \
            runs it again
            \(others.prefix(10).joined(separator: "\n"))
            \(around.map(\.description).joined(separator: "\n"))
            """
    }
}
