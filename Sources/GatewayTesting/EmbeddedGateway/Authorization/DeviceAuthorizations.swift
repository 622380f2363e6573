import GatewayCore

/// Device authorizations and their state (RFC 8628).
final class DeviceAuthorizations: Sendable {
    /// The decision of the user.
    enum Decision: Sendable {
        case pending
        case approved(subject: String)
        case denied
    }

    /// A device that waits for a decision.
    struct Device: Sendable {
        let clientID: String
        let userCode: String
        let scopes: [String]
        let end: ContinuousClock.Instant
        var interval: Duration
        var lastAsked: ContinuousClock.Instant?
        var decision = Decision.pending
        var slowDowns = 0
    }

    private let configuration: EmbeddedGateway.DeviceCodes
    private let devices = Locked<[String: Device]>([:])

    init(_ configuration: EmbeddedGateway.DeviceCodes) { self.configuration = configuration }

    var lifetime: Duration { configuration.lifetime }
    var interval: Duration? { configuration.interval }

    /// Adds a device.
    func add(
        _ deviceCode: String, userCode: String, clientID: String, scopes: [String],
        now: ContinuousClock.Instant
    ) {
        let device = Device(
            clientID: clientID, userCode: userCode, scopes: scopes, end: now.adding(lifetime),
            interval: interval?.bounded ?? .seconds(5))
        devices.withLock { $0[deviceCode] = device }
    }

    /// Sets the decision for a user code.
    func decide(_ userCode: String, _ decision: Decision) {
        devices.withLock { devices in
            for (code, device) in devices where device.userCode == userCode {
                devices[code]?.decision = decision
            }
        }
    }

    /// How many times a device was told to slow down.
    func slowDowns(_ userCode: String) -> Int {
        devices.withLock { $0.values.first { $0.userCode == userCode }?.slowDowns ?? 0 }
    }

    /// Handles a poll of a device (RFC 8628 §3.5). An approved code can be used once.
    func ask(
        _ deviceCode: String, clientID: String, now: ContinuousClock.Instant
    ) throws(TokenError) -> (subject: String, scopes: [String]) {
        let answer = devices.withLock { devices -> Result<(String, [String]), TokenError> in
            guard var device = devices[deviceCode], device.clientID == clientID else {
                return .failure(TokenError("invalid_grant", "The device code is not known."))
            }
            guard now < device.end else {
                return .failure(TokenError("expired_token", "The device code has expired."))
            }
            defer { if devices[deviceCode] != nil { devices[deviceCode] = device } }
            let last = device.lastAsked
            device.lastAsked = now
            if let last, last.duration(to: now) < device.interval {
                device.interval += .seconds(5)
                device.slowDowns += 1
                return .failure(TokenError("slow_down", "The device asks too often."))
            }
            switch device.decision {
            case .pending:
                return .failure(TokenError("authorization_pending", "Nobody has decided yet."))
            case .denied:
                return .failure(TokenError("access_denied", "Somebody said no."))
            case .approved(let subject):
                devices[deviceCode] = nil
                return .success((subject, device.scopes))
            }
        }
        return try answer.get()
    }
}
