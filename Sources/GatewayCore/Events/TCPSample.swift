/// What the kernel knows of a TCP connection at one moment (Linux `TCP_INFO`).
public struct TCPSample: Hashable, Sendable {
    /// The smoothed round-trip time (RFC 6298 `SRTT`).
    public var roundTripTime: Duration
    /// The round-trip time's variation (RFC 6298 `RTTVAR`).
    public var roundTripTimeVariation: Duration
    /// How many segments were sent again since the connection was made.
    public var retransmitCount: Int
    /// How many segments may be under way unacknowledged (RFC 5681 `cwnd`).
    public var congestionWindowSegments: Int

    /// Makes a sample.
    public init(
        roundTripTime: Duration, roundTripTimeVariation: Duration, retransmitCount: Int,
        congestionWindowSegments: Int
    ) {
        self.roundTripTime = roundTripTime
        self.roundTripTimeVariation = roundTripTimeVariation
        self.retransmitCount = retransmitCount
        self.congestionWindowSegments = congestionWindowSegments
    }
}
