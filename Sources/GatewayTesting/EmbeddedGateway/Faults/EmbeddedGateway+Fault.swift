import GatewayCore

extension EmbeddedGateway {
    /// Something that goes wrong on demand.
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

        /// The request waits that long before anything is done with it. No thread is held.
        public static func latency(_ duration: Duration) -> Fault {
            Fault(effect: .latency(duration...duration))
        }

        /// The request waits, each time for another time from the range.
        public static func latency(_ range: ClosedRange<Duration>) -> Fault { Fault(effect: .latency(range)) }

        /// The request is answered with a status and nothing else is done with it.
        ///
        /// - Parameters:
        ///   - status: 503, say.
        ///   - retryAfter: the value of `Retry-After`, in whole seconds (RFC 9110 §10.2.3).
        public static func status(_ status: Int, retryAfter: Duration? = nil) -> Fault {
            var reply = Reply.text("A fault of the test kit.\n", status: status)
            reply.fields[.retryAfter] = retryAfter.map { String(max(0, $0.wholeSeconds)) }
            return .reply(reply)
        }

        /// The request is answered like this and nothing else is done with it: a token endpoint that speaks HTML,
        /// say.
        public static func reply(_ reply: Reply) -> Fault { Fault(effect: .reply(reply)) }

        /// The connection is closed before a byte of an answer, and nothing is done with the request.
        public static let drop = Fault(effect: .drop(reset: false))

        /// The connection is reset (RST) before a byte of an answer, and nothing is done with the request.
        public static let reset = Fault(effect: .drop(reset: true))

        /// The request takes effect, and the connection is closed before a byte of its answer: the reply that was
        /// lost, such as a token endpoint's after it has rotated the refresh token.
        public static let dropAfterProcessing = Fault(effect: .dropAfterProcessing)

        /// The request takes effect at once, and its answer is sent that much later: a token endpoint that has rotated
        /// the refresh token when its client has long given up. No thread is held.
        public static func answerLate(by duration: Duration) -> Fault { Fault(effect: .answerLate(duration)) }

        /// The request takes effect, and the connection breaks in the middle of its answer: `Content-Length` says
        /// more than is sent.
        ///
        /// - Parameter bytes: how much of the content is sent. Where it is all of it, one byte more is announced.
        public static func tear(afterBytes bytes: Int) -> Fault { Fault(effect: .tear(afterBytes: bytes)) }
    }
}
