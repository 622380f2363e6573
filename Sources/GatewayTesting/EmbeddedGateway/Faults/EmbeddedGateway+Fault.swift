import GatewayCore

extension EmbeddedGateway {
    /// A fault that can be injected.
    public struct Fault: Sendable {
        enum Effect: Sendable {
            case latency(ClosedRange<Duration>)
            case reply(Reply)
            case drop(reset: Bool)
            case dropAfterProcessing
            case answerLate(Duration)
            case tear(afterBytes: Int)
        }

        let effect: Effect

        /// The request waits before it is processed. No thread is blocked.
        public static func latency(_ duration: Duration) -> Fault {
            Fault(effect: .latency(duration...duration))
        }

        /// The request waits for a random time from the range.
        public static func latency(_ range: ClosedRange<Duration>) -> Fault { Fault(effect: .latency(range)) }

        /// The request gets a response with a status and is not processed.
        ///
        /// - Parameters:
        ///   - status: the status, for example 503.
        ///   - retryAfter: the value of `Retry-After`, in whole seconds (RFC 9110 §10.2.3).
        public static func status(_ status: Int, retryAfter: Duration? = nil) -> Fault {
            var reply = Reply.text("A fault of the test kit.\n", status: status)
            reply.fields[.retryAfter] = retryAfter.map { String(max(0, $0.wholeSeconds)) }
            return .reply(reply)
        }

        /// The request gets this response and is not processed, for example to simulate a token endpoint that returns
        /// HTML.
        public static func reply(_ reply: Reply) -> Fault { Fault(effect: .reply(reply)) }

        /// The connection is closed before the first byte of the response. The request is not processed.
        public static let drop = Fault(effect: .drop(reset: false))

        /// The connection is reset (RST) before the first byte of the response. The request is not processed.
        public static let reset = Fault(effect: .drop(reset: true))

        /// The request is processed, and the connection is closed before the first byte of the response. This simulates
        /// a lost response, for example of a token endpoint that has rotated the refresh token.
        public static let dropAfterProcessing = Fault(effect: .dropAfterProcessing)

        /// The request is processed immediately, and the response is sent after a delay. This simulates a token
        /// endpoint that has rotated the refresh token but responds after the client has timed out. No thread is
        /// blocked.
        public static func answerLate(by duration: Duration) -> Fault { Fault(effect: .answerLate(duration)) }

        /// The request is processed, and the connection is closed inside of the response: `Content-Length` is larger
        /// than the content that is sent.
        ///
        /// - Parameter bytes: the number of content bytes to send. If this is the whole content, one more byte is
        ///   announced.
        public static func tear(afterBytes bytes: Int) -> Fault { Fault(effect: .tear(afterBytes: bytes)) }
    }
}
