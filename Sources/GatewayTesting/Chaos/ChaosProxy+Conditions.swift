import GatewayCore

extension ChaosProxy {
    /// What the proxy does to connections and their bytes.
    public struct Conditions: Hashable, Sendable {
        /// What happens to whole connections.
        @nonexhaustive
        public enum Mode: String, Hashable, Sendable, CaseIterable {
            /// Bytes are forwarded.
            case open
            /// New connections are refused; open ones continue.
            case refuse
            /// The peer does not react: new connections are accepted, but nothing is read, written or closed.
            case halfOpen = "half-open"
            /// All packets are lost: connecting gets no answer, and nothing is read, written or closed.
            case blackHole = "black-hole"
        }

        /// What happens to the bytes of one direction.
        public struct Direction: Hashable, Sendable {
            /// The minimum delay of each piece, from 0 to 1 h.
            public var delay = Duration.zero
            /// The maximum random addition to the delay, uniformly distributed, from 0 to 1 h.
            public var jitter = Duration.zero
            /// The bandwidth in bytes per second and connection, at least 1; `nil` for no limit.
            public var bytesPerSecond: Int?
            /// The probability that a piece is lost, from 0 to 0.99. It is sent again after 200 ms, or later if it is
            /// lost again. Like TCP, the proxy keeps the order and delays the following pieces.
            public var loss = 0.0
            /// Whether nothing is forwarded.
            public var isStalled = false
            /// The number of bytes after which a connection is closed, at least 1; `nil` for no limit.
            public var cutAfterBytes: Int?

            /// No conditions.
            public init() {}
        }

        /// What happens to whole connections.
        public var mode = Mode.open
        /// The probability that a connection is reset after the first bytes of the client, from 0 to 1.
        public var resetProbability = 0.0
        /// From the client to the server.
        public var upstream = Direction()
        /// From the server to the client.
        public var downstream = Direction()

        /// No conditions.
        public init() {}

        /// Forwards everything immediately.
        public static let perfect = Conditions()
        /// Refuses new connections.
        public static let refusing = Conditions { $0.mode = .refuse }
        /// Accepts connections and forwards nothing.
        public static let stalled = Conditions {
            $0.upstream.isStalled = true
            $0.downstream.isStalled = true
        }
        /// Accepts connections, but the peer does not react.
        public static let halfOpen = Conditions { $0.mode = .halfOpen }
        /// Loses all packets: the profile "100 % loss" of Apple's Network Link Conditioner.
        public static let blackHole = Conditions { $0.mode = .blackHole }
        /// Resets each connection after the first bytes of the client.
        public static let resetting = Conditions { $0.resetProbability = 1 }
        /// A 3G mobile network, with the values of Apple's Network Link Conditioner.
        public static let thirdGeneration = Conditions {
            $0.upstream.delay = .milliseconds(100)
            $0.upstream.jitter = .milliseconds(25)
            $0.downstream = $0.upstream
            $0.upstream.bytesPerSecond = 41_250
            $0.downstream.bytesPerSecond = 97_500
        }
        /// A very bad network, with the values of Apple's Network Link Conditioner.
        public static let veryBad = Conditions {
            $0.upstream.delay = .milliseconds(500)
            $0.upstream.jitter = .milliseconds(250)
            $0.upstream.bytesPerSecond = 125_000
            $0.upstream.loss = 0.1
            $0.downstream = $0.upstream
        }

        private init(_ set: (inout Conditions) -> Void) { set(&self) }

        /// The arguments of the command `set`.
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
