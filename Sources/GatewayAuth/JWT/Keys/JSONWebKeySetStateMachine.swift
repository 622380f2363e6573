import GatewayCore

/// What is known of an issuer's keys, and when it is asked again: pure state.
///
/// Keys are *fresh*, then *stale*, then gone; independently of that a request is under way or not. Fresh keys are
/// given out at once. Stale ones are given out only while requests fail. A request is made for missing and for stale
/// keys, ahead of time for those near the end of their freshness, and for a key that fresh ones do not have: that once
/// in a cool-down.
struct JSONWebKeySetStateMachine {
    /// A request for keys.
    typealias Flight = UInt64

    /// Keys that were received.
    private struct Held {
        let set: JSONWebKeySet
        /// From here on they are renewed in the background.
        let renewal: ContinuousClock.Instant
        /// From here on they are stale.
        let staleness: ContinuousClock.Instant
        /// From here on they are gone.
        let end: ContinuousClock.Instant
    }

    /// What a token asks for.
    struct Wanted {
        let keyID: String?
        let algorithm: JSONWebTokenAlgorithm
    }

    /// What is to be done for a token.
    enum Answer {
        /// Use these, and make a request where one is named.
        case keys([JSONWebTokenKey], launch: Flight?)
        /// Wait for this request, and make it where it is new.
        case wait(Flight, isNew: Bool)
        /// There is no key.
        case refuse(JSONWebTokenError)
    }

    let policy: JSONWebKeySetPolicy
    /// The request that is under way.
    private(set) var flight: Flight?
    private var held: Held?
    private var lastFlight: Flight = 0
    private var lastLaunch: ContinuousClock.Instant?
    /// The failures since the last success.
    private var failures = 0
    private var failure: JSONWebTokenError?
    /// Until then nobody asks again.
    private var quietEnd: ContinuousClock.Instant?

    init(policy: JSONWebKeySetPolicy) { self.policy = policy }

    /// The keys that were received last.
    var current: JSONWebKeySet? { held?.set }

    /// A token needs a key.
    ///
    /// - Parameter hasWaited: whether it has waited for a request already. Nobody waits twice.
    mutating func ask(_ wanted: Wanted, hasWaited: Bool, now: ContinuousClock.Instant) -> Answer {
        guard let held, now < held.end else {
            self.held = nil
            return flightOrRefusal(hasWaited: hasWaited, now: now)
        }
        let keys = held.set.candidates(keyID: wanted.keyID, algorithm: wanted.algorithm)
        guard now < held.staleness else {
            // While the issuer fails, nobody waits for it again whose key is at hand.
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

    /// A request has brought keys.
    ///
    /// - Parameters:
    ///   - sent: when it was made, from where the lifetime counts.
    ///   - lifetime: how long the answer says that it may be used.
    /// - Returns: whether it was the request that was under way.
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

    /// A request has failed.
    ///
    /// - Returns: whether it was the request that was under way.
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

    /// A new request, unless one is under way or it is too early.
    private mutating func launch(_ now: ContinuousClock.Instant) -> Flight? {
        guard flight == nil, quietEnd.map({ now >= $0 }) ?? true else { return nil }
        lastFlight += 1
        flight = lastFlight
        lastLaunch = now
        return lastFlight
    }
}
