import GatewayAuth
import GatewayCore
import GatewayTesting
import TokenProbing

/// The processes of a storm, each in its place, and started anew when it was killed.
final class StormProcesses: Sendable {
    struct Place: Sendable {
        var name: String
        var probe: TokenProbe?
        var starts = 0
        var hasCrashed = false
        /// When the newest call that was answered 200 began, and how the newest call ended.
        var lastSuccess: UInt64 = 0
        var lastOutcome = ""
        var begun: [Int: UInt64] = [:]
    }

    /// Callers give up before a late answer comes, and its request does not.
    private let limits: (refresh: Int, exchange: Int, patience: Int)

    private let gateway: EmbeddedGateway
    private let store: any StormStore
    /// What a configuration would hold: the refresh token of the newest login.
    private let initial = Locked<Secret?>(nil)
    private let journal: StormJournal
    private let places: Locked<[Place]>

    /// - Parameter exchangeLimit: how long a request for a token may take, in milliseconds.
    init(gateway: EmbeddedGateway, store: any StormStore, exchangeLimit: Int, journal: StormJournal) {
        limits = (refresh: 500, exchange: exchangeLimit, patience: 0)
        (self.gateway, self.store, self.journal) = (gateway, store, journal)
        places = Locked((0..<StormRound.places).map { Place(name: "p\($0).0") })
    }

    /// Starts a process in a place that has none.
    ///
    /// - Parameter isCalling: whether it makes calls at once.
    func start(_ index: Int, calling isCalling: Bool = true) async throws {
        let name = places.withLock { places in
            places[index].starts += 1
            places[index].name = "p\(index).\(places[index].starts)"
            (places[index].begun, places[index].lastOutcome) = ([:], "")
            return places[index].name
        }
        let probe = try TokenProbe(
            store: store.address, gateway: gateway, refreshToken: initial.withLock { $0 }?.exposed,
            limits: limits,
            api: gateway.apiURL + "/books/bk-1", witness: store.witness
        ) { [weak self] line in
            switch line {
            case .traced(let text):
                if let entry = StormEntry(line: text, of: name) { self?.take(entry, index) }
            case .ended(let status):
                self?.journal.note("driver", .exited(name, status: status))
                self?.places.withLock { places in
                    if places[index].name == name, places[index].probe != nil {
                        places[index].hasCrashed = true
                    }
                }
            }
        }
        journal.note(name, .started)
        _ = await probe.line("ready", "unusable")
        places.withLock { $0[index].probe = probe }
        if isCalling { probe.tell("call") }
    }

    private func take(_ entry: StormEntry, _ index: Int) {
        journal.add(entry)
        places.withLock { places in
            switch entry.what {
            case .call(let call): places[index].begun[call] = entry.time
            case .ended(let call, let outcome):
                let begun = places[index].begun.removeValue(forKey: call)
                places[index].lastOutcome = outcome
                if outcome == "200", let begun { places[index].lastSuccess = begun }
            default: break
            }
        }
    }

    func setInitial(_ token: Secret) { initial.withLock { $0 = token } }

    var all: [Place] { places.withLock { $0 } }

    /// Takes the process out of a place, unless another event has done so, for as long as the body runs.
    func withProcess(
        _ index: Int, _ body: (TokenProbe, String) async throws -> Void
    ) async rethrows {
        let taken = places.withLock { places -> (TokenProbe, String)? in
            guard let probe = places[index].probe else { return nil }
            places[index].probe = nil
            return (probe, places[index].name)
        }
        guard let (probe, name) = taken else { return }
        try await body(probe, name)
        places.withLock { places in
            if places[index].name == name { places[index].probe = probe }
        }
    }

    /// The place of the process that sends a refresh token next; `nil` if none does within a second.
    func nextSender() async -> Int? {
        let start = StormJournal.now
        await StormClock.wait(1000, pausing: 1) { journal.lastSend.time > start }
        guard journal.lastSend.time > start else { return nil }
        return journal.lastSend.who.dropFirst().first?.wholeNumberValue
    }
}

/// The time between the steps of a storm is real.
enum StormClock {
    static func pause(_ milliseconds: Int) async {
        let clock = SystemClock()
        try? await clock.sleep(until: clock.now + .milliseconds(milliseconds))
    }

    /// Returns when something is so, or after so many milliseconds.
    static func wait(
        _ milliseconds: Int, pausing: Int = 10, until isSo: () async -> Bool
    ) async {
        let end = ContinuousClock.now + .milliseconds(milliseconds)
        while await !isSo(), ContinuousClock.now < end, !Task.isCancelled { await pause(pausing) }
    }
}
