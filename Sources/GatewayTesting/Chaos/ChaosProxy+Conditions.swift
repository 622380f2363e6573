import GatewayCore

extension ChaosProxy {
    /// What the proxy does to connections and their bytes.
    public struct Conditions: Hashable, Sendable {
        /// What happens to connections as a whole.
        @nonexhaustive
        public enum Mode: String, Hashable, Sendable, CaseIterable {
            /// Bytes are forwarded.
            case open
            /// New connections are refused; open ones continue.
            case refuse
            /// The peer has vanished: new connections are accepted, and nothing is read, written or closed.
            case halfOpen = "half-open"
            /// All packets are lost: attempts to connect get no answer, and nothing is read, written or closed.
            case blackHole = "black-hole"
        }

        /// What happens to the bytes of one direction.
        public struct Direction: Hashable, Sendable {
            /// The shortest delay of each piece, from 0 to an hour.
            public var delay = Duration.zero
            /// What is added to the delay at most, uniformly distributed, from 0 to an hour.
            public var jitter = Duration.zero
            /// Bytes per second and connection, 1 or more; `nil` for no limit.
            public var bytesPerSecond: Int?
            /// The probability that a piece is lost, from 0 to 0.99. It is sent again 200 ms later, or later still if it
            /// is lost again; TCP keeps the order, so it holds back the pieces behind it.
            public var loss = 0.0
            /// Whether nothing is forwarded.
            public var isStalled = false
            /// A connection is closed after so many bytes, 1 or more; `nil` for no limit.
            public var cutAfterBytes: Int?

            /// No conditions.
            public init() {}
        }

        /// What happens to connections as a whole.
        public var mode = Mode.open
        /// The probability that a connection is reset after the first bytes of the client, from 0 to 1.
        public var resetProbability = 0.0
        /// From the client to the server.
        public var upstream = Direction()
        /// From the server to the client.
        public var downstream = Direction()

        /// No conditions.
        public init() {}

        /// Forwards everything at once.
        public static let perfect = Conditions()
        /// Refuses new connections.
        public static let refusing = Conditions { $0.mode = .refuse }
        /// Accepts connections and forwards nothing.
        public static let stalled = Conditions {
            $0.upstream.isStalled = true
            $0.downstream.isStalled = true
        }
        /// Gets connections, but their peer has vanished.
        public static let halfOpen = Conditions { $0.mode = .halfOpen }
        /// Loses all packets: the profile "100 % loss" of Apple's Network Link Conditioner.
        public static let blackHole = Conditions { $0.mode = .blackHole }
        /// Resets each connection after the first bytes of the client.
        public static let resetting = Conditions { $0.resetProbability = 1 }
        /// A mobile network of the third generation, with the figures of Apple's Network Link Conditioner.
        public static let thirdGeneration = Conditions {
            $0.upstream.delay = .milliseconds(100)
            $0.upstream.jitter = .milliseconds(25)
            $0.downstream = $0.upstream
            $0.upstream.bytesPerSecond = 41_250
            $0.downstream.bytesPerSecond = 97_500
        }
        /// A very bad network, with the figures of Apple's Network Link Conditioner.
        public static let veryBad = Conditions {
            $0.upstream.delay = .milliseconds(500)
            $0.upstream.jitter = .milliseconds(250)
            $0.upstream.bytesPerSecond = 125_000
            $0.upstream.loss = 0.1
            $0.downstream = $0.upstream
        }

        private init(_ set: (inout Conditions) -> Void) { set(&self) }

        /// The assignments of the command `set`.
        var assignments: [String] {
            ["mode=\(mode.rawValue)", "reset=\(resetProbability)"] + upstream.assignments("up")
                + downstream.assignments("down")
        }
    }
}

extension ChaosProxy.Conditions.Direction {
    fileprivate func assignments(_ prefix: String) -> [String] {
        func text(_ bytes: Int?) -> String { bytes.map(String.init) ?? "off" }
        func text(_ time: Duration) -> String { "\(time.bounded / .milliseconds(1))ms" }
        return [
            "delay=\(text(delay))", "jitter=\(text(jitter))", "rate=\(text(bytesPerSecond))", "loss=\(loss)",
            "stall=\(isStalled ? "on" : "off")", "cut=\(text(cutAfterBytes))",
        ].map { "\(prefix).\($0)" }
    }
}
