import GatewayCore

/// Decides how many entries are sent at the same time. Pure: instants are passed in.
///
/// Each origin has a window. At first, and after the network was away, it is one request; each one that succeeds makes room for one
/// more, up to the concurrency, so that the requests double with each round trip. An origin that pushes back gets half of it, and
/// then one more after every ``patience`` requests that succeed, so that few of them find the limit again.
///
/// An entry that fails says nothing about its origin: pauses are for origins that nothing can be sent to, and those that push back.
/// A response without a time may be that of a failing entry: its pause is short, so that others are tried.
/// An attempt that takes long leaves its room in the window to others, up to half of the concurrency.
struct SendGate: Sendable {
    typealias Instant = ContinuousClock.Instant

    /// What an attempt says about its origin.
    enum Effect: Hashable, Sendable {
        /// It can be reached, and does not push back.
        case reached
        /// It limits the rate of requests, or is overloaded, and may have said for how long.
        case pushedBack(after: Duration?)
        /// It is overloaded, or fails for this request only: it has not said for how long.
        case busy
        /// The request may have been sent, and there is no response: other requests may fare better.
        case failed
        /// It cannot be reached, or the client sends it nothing at the moment.
        case unreachable(after: Duration?)
        /// Nothing is known, since the attempt was given up.
        case unknown
    }

    private struct Way {
        var window = 1
        /// When the attempts in progress began, in their order.
        var begun: [Instant] = []
        var failures = 0
        /// The requests that succeeded since the window was widened; `nil` until the origin has pushed back.
        var successes: Int?
        var heldUntil: Instant?

        var inFlight: Int { begun.count }
    }

    /// The requests that succeed until the window of an origin that has pushed back is widened.
    static let patience = 128
    /// The first pause after an origin could not be reached. It doubles with each further time.
    static let firstPause = Duration.milliseconds(500)
    /// The first pause after an origin has pushed back and named none. It doubles with each further time until a request
    /// succeeds. It is shorter, since the window is halved, too, and a server may fail for some requests only.
    static let firstPushbackPause = Duration.milliseconds(100)
    /// The longest pause of an origin that did not name one.
    static let longestPause = Duration.seconds(60)
    /// The longest pause that an origin can ask for.
    static let longestRequest = Duration.seconds(3_600)

    /// Origins beyond this number are forgotten when nothing is sent to them.
    private static let mostOrigins = 256

    let concurrency: Int
    /// The time after which an attempt takes long.
    let longAttempt: Duration
    /// The longest pause of an origin that is busy.
    let longestBusyPause: Duration
    private(set) var inFlight = 0
    private var ways: [Origin: Way] = [:]

    /// - Parameters:
    ///   - concurrency: the number of attempts in progress, 1 or more.
    ///   - longAttempt: the time after which an attempt takes long; more than zero.
    ///   - longestBusyPause: the longest pause of an origin that is busy; more than zero.
    init(
        concurrency: Int, longAttempt: Duration = .seconds(10), longestBusyPause: Duration = .seconds(1)
    ) {
        self.concurrency = max(1, concurrency)
        self.longAttempt = longAttempt
        self.longestBusyPause = longestBusyPause
    }

    /// Whether something can be sent to an origin.
    func isOpen(_ origin: Origin, at now: Instant) -> Bool {
        guard inFlight < concurrency else { return false }
        guard let way = ways[origin] else { return true }
        return way.inFlight - lent(way, now) < way.window && !isHeld(way, now)
    }

    /// The attempts that take long, and leave their room to others.
    private func lent(_ way: Way, _ now: Instant) -> Int {
        let isLong = now.adding(.zero - longAttempt)
        return min(way.begun.prefix { $0 <= isLong }.count, concurrency / 2)
    }

    /// When an attempt begins to take long whose origin has no room.
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

    /// How many requests may be sent to an origin at the same time.
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
        // Taken out: otherwise a change would copy the attempts in progress.
        var way = Way()
        swap(&way, &ways.values[place])
        let index = began.flatMap { way.begun.firstIndex(of: $0) }
        way.begun.remove(at: index ?? 0)
        switch effect {
        case .reached:
            // Nothing begins during a pause: this attempt began before it, and says nothing about what came later.
            guard !isHeld(way, now) else { break }
            way.failures = 0
            way.heldUntil = nil
            widen(&way)
        case .pushedBack, .busy:
            // Of several that were sent together, each one says the same.
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

    /// Several attempts that began together end together: only the first one makes the pause longer.
    private func hold(
        _ way: inout Way, _ after: Duration?, _ first: Duration, upTo most: Duration = SendGate.longestPause,
        _ now: Instant, _ random: any RandomSource
    ) {
        let isFirst = !isHeld(way, now)
        if isFirst { way.failures = min(way.failures + 1, 32) }
        let pause: Duration
        if let after {
            // Not all clients at once.
            pause = max(.zero, min(after, Self.longestRequest)) + Self.firstPause * random.unit()
        } else {
            guard isFirst else { return }
            pause = ExponentialBackoff(base: first, longest: most)
                .delay(after: way.failures, chance: random.unit())
        }
        let end = now.adding(pause)
        way.heldUntil = max(end, way.heldUntil ?? end)
    }

    /// The network was away: what was known about origins is no longer true.
    mutating func restart() {
        for origin in ways.keys {
            guard let way = ways[origin] else { continue }
            ways[origin] = Way(begun: way.begun)
        }
    }

    /// The origins to which nothing can be sent at the moment, or that need no more than what is at hand.
    ///
    /// - Parameter ready: the origins of the entries at hand, one for each entry.
    func closedOrigins(ready: some Sequence<Origin>, at now: Instant) -> Set<Origin> {
        let limited = ways.filter { isHeld($0.value, now) || $0.value.window < concurrency }
        guard !limited.isEmpty else { return [] }
        let counts = ready.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        return Set(
            limited.filter { origin, way in
                isHeld(way, now) || counts[origin, default: 0] >= way.window
            }.keys)
    }

    /// Until when an origin gets nothing; `nil` if it is not held.
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
