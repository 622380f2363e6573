/// The kernel's data about a TCP connection at one moment (Linux `TCP_INFO`).
public struct TCPSample: Hashable, Sendable {
    /// The smoothed round-trip time (`SRTT` of RFC 6298).
    public var roundTripTime: Duration
    /// The variation of the round-trip time (`RTTVAR` of RFC 6298).
    public var roundTripTimeVariation: Duration
    /// The number of retransmitted segments since the connection was established.
    public var retransmitCount: Int
    /// The congestion window in segments (`cwnd` of RFC 5681).
    public var congestionWindowSegments: Int

    /// Creates a sample.
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
