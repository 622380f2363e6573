import GatewayCore

/// The keys of an issuer, and when they are fetched again. A pure state machine.
///
/// Keys are *fresh*, then *stale*, then *expired*. Independently, a request is in progress or not. Fresh keys are used
/// immediately. Stale keys are used only while requests fail. A request starts if the keys are missing or stale, in the
/// background if they will be stale soon, and if a key is missing in a fresh set, at most once per cool-down.
struct JSONWebKeySetStateMachine {
    /// A request for keys.
    typealias Flight = UInt64

    /// Keys that were received.
    private struct Held {
        let set: JSONWebKeySet
        /// When they are refreshed in the background.
        let renewal: ContinuousClock.Instant
        /// When they become stale.
        let staleness: ContinuousClock.Instant
        /// When they expire.
        let end: ContinuousClock.Instant
    }

    /// The key that a token needs.
    struct Wanted {
        let keyID: String?
        let algorithm: JSONWebTokenAlgorithm
    }

    /// The reaction to a token.
    enum Answer {
        /// Use these keys, and start the request if there is one.
        case keys([JSONWebTokenKey], launch: Flight?)
        /// Wait for this request, and start it if it is new.
        case wait(Flight, isNew: Bool)
        /// There is no usable key.
        case refuse(JSONWebTokenError)
    }

    let policy: JSONWebKeySetPolicy
    /// The request in progress.
    private(set) var flight: Flight?
    private var held: Held?
    private var lastFlight: Flight = 0
    private var lastLaunch: ContinuousClock.Instant?
    /// The failures since the last success.
    private var failures = 0
    private var failure: JSONWebTokenError?
    /// The end of the backoff.
    private var quietEnd: ContinuousClock.Instant?

    init(policy: JSONWebKeySetPolicy) { self.policy = policy }

    /// The last keys that were received.
    var current: JSONWebKeySet? { held?.set }

    /// Handles a token that needs a key.
    ///
    /// - Parameter hasWaited: whether the token has already waited for a request. A token waits at most once.
    mutating func ask(_ wanted: Wanted, hasWaited: Bool, now: ContinuousClock.Instant) -> Answer {
        guard let held, now < held.end else {
            self.held = nil
            return flightOrRefusal(hasWaited: hasWaited, now: now)
        }
        let keys = held.set.candidates(keyID: wanted.keyID, algorithm: wanted.algorithm)
        guard now < held.staleness else {
            // While the issuer is unavailable, a token whose key is known does not wait.
            if !keys.isEmpty, hasWaited || failures > 0 { return .keys(keys, launch: launch(now)) }
            return flightOrRefusal(hasWaited: hasWaited, now: now)
        }
        guard keys.isEmpty else {
            return .keys(keys, launch: now >= held.renewal ? launch(now) : nil)
        }
        if let lastLaunch, flight == nil, now < lastLaunch.adding(policy.coolDown) {
            return .refuse(failure ?? Self.unknownKey)
        }
        return flightOrRefusal(hasWaited: hasWaited, now: now)
    }

    /// Handles the keys of a request.
    ///
    /// - Parameters:
    ///   - sent: when the request was sent, which is the start of the lifetime.
    ///   - lifetime: the lifetime that the response states.
    /// - Returns: whether the request was the one in progress.
    mutating func received(
        _ set: JSONWebKeySet, by flight: Flight, sent: ContinuousClock.Instant, lifetime: Duration?
    ) -> Bool {
        guard flight == self.flight else { return false }
        self.flight = nil
        let lifetime = policy.lifetime(lifetime)
        let staleness = sent.adding(lifetime)
        held = Held(
            set: set, renewal: staleness.adding(.zero - lifetime.scaled(by: policy.renewalFraction)),
            staleness: staleness, end: staleness.adding(max(policy.stalenessLimit, .zero)))
        (failures, failure, quietEnd) = (0, nil, nil)
        return true
    }

    /// Handles the failure of a request.
    ///
    /// - Returns: whether the request was the one in progress.
    mutating func failed(
        _ error: JSONWebTokenError, by flight: Flight, retryAfter: Duration?, now: ContinuousClock.Instant
    ) -> Bool {
        guard flight == self.flight else { return false }
        self.flight = nil
        failures += 1
        failure = error
        quietEnd = now.adding(policy.backoff(failures: failures, retryAfter: retryAfter))
        return true
    }

    private static let unknownKey = JSONWebTokenError(
        .unknownKey, "No key of the issuer matches the token's key ID (`kid`).")

    private mutating func flightOrRefusal(hasWaited: Bool, now: ContinuousClock.Instant) -> Answer {
        if hasWaited { return .refuse(failure ?? Self.unknownKey) }
        if let flight { return .wait(flight, isNew: false) }
        guard let flight = launch(now) else { return .refuse(failure ?? Self.unknownKey) }
        return .wait(flight, isNew: true)
    }

    /// Starts a request; `nil` if one is in progress or during a backoff.
    private mutating func launch(_ now: ContinuousClock.Instant) -> Flight? {
        guard flight == nil, quietEnd.map({ now >= $0 }) ?? true else { return nil }
        lastFlight += 1
        flight = lastFlight
        lastLaunch = now
        return lastFlight
    }
}
