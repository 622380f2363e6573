/// The connections and waiting requests of a transport at one moment.
public struct TransportStatistics: Hashable, Sendable {
    /// The counts of one origin, or of all.
    public struct Counts: Hashable, Sendable {
        /// Open connections, in use or not.
        public var connections = 0
        /// Exchanges in progress. With HTTP/2 several share a connection.
        public var active = 0
        /// Requests that wait for a connection.
        public var waiting = 0

        /// Creates counts of zero.
        public init() {}
    }

    /// The numbers by origin; origins without connections and requests are omitted.
    public var origins: [Origin: Counts] = [:]

    /// Makes empty statistics: for transports that keep none.
    public init() {}

    /// The numbers of all origins together.
    public var all: Counts {
        origins.values.reduce(into: Counts()) { all, counts in
            all.connections += counts.connections
            all.active += counts.active
            all.waiting += counts.waiting
        }
    }
}
