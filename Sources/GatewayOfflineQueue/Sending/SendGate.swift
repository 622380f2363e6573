import GatewayCore

/// Decides how many entries are sent concurrently. Pure: the caller passes the time.
///
/// Each origin has a window. Initially, and after the network was unavailable, it is one request. Each
/// success widens it by one, up to the concurrency, so that it doubles with each round trip. When an origin
/// pushes back, its window is halved, and then widened by one after every ``patience`` successes, so that
/// few requests reach the limit again.
///
/// A failing entry says nothing about its origin: pauses are for origins that are unreachable or push back.
/// A response without a time may belong to a failing entry: its pause is short, so that others are tried. An
/// attempt that takes long releases its place in the window, up to half of the concurrency.
struct SendGate: Sendable {
    typealias Instant = ContinuousClock.Instant

    /// The information of an attempt about its origin.
    enum Effect: Hashable, Sendable {
        /// It is reachable, and does not push back.
        case reached
        /// It limits the rate of requests, or is overloaded, and may have requested a delay.
        case pushedBack(after: Duration?)
        /// It is overloaded, or fails for this request only, without a requested delay.
        case busy
        /// The request may have been sent, and there is no response: other requests may succeed.
        case failed
        /// It is unreachable, or the client currently sends it nothing.
        case unreachable(after: Duration?)
        /// Unknown, because the attempt was abandoned.
        case unknown
    }

    private struct Way {
        var window = 1
        /// When the attempts in progress began, in order.
        var begun: [Instant] = []
        var failures = 0
        /// The number of successes since the window was widened; `nil` until the origin has pushed back.
        var successes: Int?
        var heldUntil: Instant?

        var inFlight: Int { begun.count }
    }

    /// The number of successes until the window of an origin that has pushed back is widened.
    static let patience = 128
    /// The first pause after an origin was unreachable. It is doubled after each further failure.
    static let firstPause = Duration.milliseconds(500)
    /// The first pause after an origin has pushed back without a requested delay. It is doubled each time
    /// until a request succeeds. It is shorter, because the window is halved too, and a server may fail for
    /// some requests only.
    static let firstPushbackPause = Duration.milliseconds(100)
    /// The maximum pause of an origin without a requested delay.
    static let longestPause = Duration.seconds(60)
    /// The maximum pause that an origin can request.
    static let longestRequest = Duration.seconds(3_600)

    /// The maximum number of origins; beyond it, origins without attempts are removed.
    private static let mostOrigins = 256

    let concurrency: Int
    /// The duration from which an attempt takes long.
    let longAttempt: Duration
    /// The maximum pause of a busy origin.
    let longestBusyPause: Duration
    private(set) var inFlight = 0
    private var ways: [Origin: Way] = [:]

    /// - Parameters:
    ///   - concurrency: the number of attempts in progress, 1 or more.
    ///   - longAttempt: the duration from which an attempt takes long; more than zero.
    ///   - longestBusyPause: the maximum pause of a busy origin; more than zero.
    init(
        concurrency: Int, longAttempt: Duration = .seconds(10), longestBusyPause: Duration = .seconds(1)
    ) {
        self.concurrency = max(1, concurrency)
        self.longAttempt = longAttempt
        self.longestBusyPause = longestBusyPause
    }

    /// Whether requests can be sent to an origin.
    func isOpen(_ origin: Origin, at now: Instant) -> Bool {
        guard inFlight < concurrency else { return false }
        guard let way = ways[origin] else { return true }
        return way.inFlight - lent(way, now) < way.window && !isHeld(way, now)
    }

    /// The number of long attempts whose place in the window is released.
    private func lent(_ way: Way, _ now: Instant) -> Int {
        let isLong = now.adding(.zero - longAttempt)
        return min(way.begun.prefix { $0 <= isLong }.count, concurrency / 2)
    }

    /// When the next attempt of an origin with a full window begins to take long.
    func nextLongAttempt(after now: Instant) -> Instant? {
        var next: Instant?
        for way in ways.values where way.inFlight >= way.window {
            for begun in way.begun {
                let due = begun.adding(longAttempt)
                guard now < due else { continue }
                next = min(next ?? due, due)
                break
            }
        }
        return next
    }

    /// The maximum number of concurrent requests to an origin.
    func window(of origin: Origin) -> Int { ways[origin]?.window ?? 1 }

    /// Begins an attempt.
    ///
    /// - Returns: whether it may begin.
    mutating func begin(_ origin: Origin, at now: Instant) -> Bool {
        guard isOpen(origin, at: now) else { return false }
        inFlight += 1
        ways[origin, default: Way()].begun.append(now)
        return true
    }

    /// Ends an attempt.
    ///
    /// - Parameter began: when it began; `nil` for the first one.
    mutating func end(
        _ origin: Origin, _ effect: Effect, began: Instant? = nil, at now: Instant, random: any RandomSource
    ) {
        guard let place = ways.index(forKey: origin), !ways.values[place].begun.isEmpty else { return }
        inFlight -= 1
        // Removed from the dictionary, so that a change does not copy the attempts in progress.
        var way = Way()
        swap(&way, &ways.values[place])
        let index = began.flatMap { way.begun.firstIndex(of: $0) }
        way.begun.remove(at: index ?? 0)
        switch effect {
        case .reached:
            // Nothing begins during a pause: this attempt began before it, and its result is outdated.
            guard !isHeld(way, now) else { break }
            way.failures = 0
            way.heldUntil = nil
            widen(&way)
        case .pushedBack, .busy:
            // Attempts that were sent together report the same limit.
            if !isHeld(way, now) { way.window = max(1, way.window / 2) }
            way.successes = 0
            guard case .pushedBack(let after) = effect else {
                hold(&way, nil, Self.firstPushbackPause, upTo: longestBusyPause, now, random)
                break
            }
            hold(&way, after, Self.firstPushbackPause, now, random)
        case .unreachable(let after):
            way.window = 1
            hold(&way, after, Self.firstPause, now, random)
        case .failed, .unknown: break
        }
        ways.values[place] = way
        forgetSome()
    }

    private func widen(_ way: inout Way) {
        if let successes = way.successes {
            way.successes = successes + 1
            guard successes + 1 >= Self.patience else { return }
            way.successes = 0
        }
        way.window = min(concurrency, way.window + 1)
    }

    /// Attempts that began together end together: only the first one extends the pause.
    private func hold(
        _ way: inout Way, _ after: Duration?, _ first: Duration, upTo most: Duration = SendGate.longestPause,
        _ now: Instant, _ random: any RandomSource
    ) {
        let isFirst = !isHeld(way, now)
        if isFirst { way.failures = min(way.failures + 1, 32) }
        let pause: Duration
        if let after {
            // Random, so that clients do not retry simultaneously.
            pause = max(.zero, min(after, Self.longestRequest)) + Self.firstPause * random.unit()
        } else {
            guard isFirst else { return }
            pause = ExponentialBackoff(base: first, longest: most)
                .delay(after: way.failures, chance: random.unit())
        }
        let end = now.adding(pause)
        way.heldUntil = max(end, way.heldUntil ?? end)
    }

    /// Resets the origins after the network was unavailable.
    mutating func restart() {
        for origin in ways.keys {
            guard let way = ways[origin] else { continue }
            ways[origin] = Way(begun: way.begun)
        }
    }

    /// The origins to which no request can be sent now, or for which enough entries are leased.
    ///
    /// - Parameter ready: the origins of the leased entries, one for each entry.
    func closedOrigins(ready: some Sequence<Origin>, at now: Instant) -> Set<Origin> {
        let limited = ways.filter { isHeld($0.value, now) || $0.value.window < concurrency }
        guard !limited.isEmpty else { return [] }
        let counts = ready.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        return Set(
            limited.filter { origin, way in
                isHeld(way, now) || counts[origin, default: 0] >= way.window
            }.keys)
    }

    /// When the pause of an origin ends; `nil` if there is none.
    func heldUntil(_ origin: Origin, at now: Instant) -> Instant? {
        ways[origin].flatMap { isHeld($0, now) ? $0.heldUntil : nil }
    }

    /// When the first pause ends.
    func nextEnd(after now: Instant) -> Instant? {
        ways.values.compactMap { isHeld($0, now) ? $0.heldUntil : nil }.min()
    }

    private func isHeld(_ way: Way, _ now: Instant) -> Bool { way.heldUntil.map { now < $0 } ?? false }

    private mutating func forgetSome() {
        guard ways.count > Self.mostOrigins else { return }
        ways = ways.filter { $0.value.inFlight > 0 || $0.value.heldUntil != nil }
    }
}
