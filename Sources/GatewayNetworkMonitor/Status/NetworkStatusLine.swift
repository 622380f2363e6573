public import GatewayCore

/// The state of the network and of the calls in one line, for people.
public struct NetworkStatusLine: Hashable, Sendable {
    /// The quality of the network.
    public let quality: NetworkCondition.Quality
    /// How many calls have failed once and are sent again.
    public let retrying: Int
    /// How many requests wait in a queue until they are sent.
    public let queued: Int
    /// When it became offline, as time since 1970-01-01T00:00:00Z; `nil` while there is a network.
    public let offlineSince: Duration?
    /// What keeps calls from their servers although there is a network; `nil` if nothing is known to.
    public let obstacle: NetworkObstacle?

    /// Creates a line.
    public init(
        quality: NetworkCondition.Quality, retrying: Int = 0, queued: Int = 0, offlineSince: Duration? = nil,
        obstacle: NetworkObstacle? = nil
    ) {
        self.quality = quality
        self.retrying = retrying
        self.queued = queued
        self.offlineSince = offlineSince
        self.obstacle = obstacle
    }

    /// What a person can do about it; `nil` if there is nothing to do.
    public var guidance: String? {
        switch quality {
        case .offline where queued > 0: "Requests are sent when the network returns."
        case .offline: "Check the connection; calls fail until the network returns."
        case .poor: obstacle?.guidance ?? "Calls take longer than usual."
        case .moderate, .good, .excellent: obstacle?.guidance
        }
    }
}

extension NetworkStatusLine: CustomStringConvertible {
    /// The line, such as `online, poor, retrying 2, 3 queued. Calls take longer than usual.`
    public var description: String {
        var parts = [quality == .offline ? "offline" : "online"]
        if let offlineSince { parts[0] += " since \(Self.time(offlineSince)) UTC" }
        if quality == .poor { parts.append("poor") }
        if let obstacle { parts.append(obstacle.text) }
        if retrying > 0 { parts.append("retrying \(retrying)") }
        if queued > 0 { parts.append("\(queued) queued") }
        return parts.joined(separator: ", ") + (guidance.map { ". \($0)" } ?? "")
    }

    /// The time of day, such as `14:05:09`.
    private static func time(_ unixTime: Duration) -> String {
        let second = max(0, unixTime.wholeSeconds) % 86_400
        return [second / 3_600, second / 60 % 60, second % 60]
            .map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    }
}

extension NetworkObstacle {
    fileprivate var text: String {
        switch self {
        case .originsUnreachable: "servers not reachable"
        case .interceptedTLS: "secure connections fail"
        case .captivePortal: "sign-in required"
        }
    }
}
