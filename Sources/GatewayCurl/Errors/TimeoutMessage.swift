import GatewayCore

/// The message for the error of an exchange that timed out: which limit was exceeded, its value, and what the exchange
/// was waiting for.
enum TimeoutMessage {
    /// Creates the message.
    ///
    /// - Parameters:
    ///   - limit: the phase whose limit was exceeded; `attempt` for the limit of the whole exchange, `call` for the
    ///     deadline of the call.
    ///   - phase: what the exchange was waiting for.
    ///   - own: the limits of the call, which are in `limits`.
    ///   - callLimit: the original duration of the deadline, if it is known.
    static func text(
        _ limit: NetworkError.Phase, at phase: NetworkError.Phase, limits: TransferLimits,
        own: AttemptLimits? = nil, callLimit: Duration?, peer: Peer
    ) -> String {
        func within(_ nanoseconds: Int64, _ setting: String, _ ofCall: Duration?) -> String {
            "\(Duration.nanoseconds(nanoseconds).text) (\(ofCall == nil ? "timeouts" : "limits").\(setting))"
        }
        switch limit {
        case .queue:
            return
                "No connection to \(peer.server) became free within \(within(limits.queue, "queue", own?.queue)): allow more "
                + "connections, or send fewer requests at a time."
        case .resolve, .connect, .tls:
            let limit = within(limits.connect, "connect", own?.connect)
            switch phase {
            case .resolve: return "The name \(peer.resolved) did not resolve within \(limit)."
            case .tls:
                // A server without TLS may wait silently for a request.
                return "No TLS session with \(peer.server) within \(limit): check that the port speaks TLS."
            default: return "No connection to \(peer.endpoint) within \(limit)."
            }
        case .send:
            return "\(peer.server) accepted no data of the request body for "
                + "\(within(limits.write, "write", own?.write))."
        case .firstByte:
            return "No response from \(peer.server) within "
                + "\(within(limits.firstByte, "firstByte", own?.firstByte))."
        case .receive:
            return "No more data of the response from \(peer.server) for "
                + "\(within(limits.read, "read", own?.read))."
        case .attempt:
            return "The attempt did not finish within "
                + "\(within(limits.whole, "whole", own?.whole)): time ran out while "
                + waiting(at: phase, peer) + "."
        case .call, .credential, .produce, .consume:
            return "The call's deadline" + (callLimit.map { " of \($0.text)" } ?? "") + " passed while "
                + waiting(at: phase, peer) + "."
        }
    }

    /// The activity of an exchange in a phase, for messages.
    private static func waiting(at phase: NetworkError.Phase, _ peer: Peer) -> String {
        switch phase {
        case .credential, .queue, .attempt, .call: "waiting for a free connection to \(peer.server)"
        case .resolve: "resolving the name \(peer.resolved)"
        case .connect: "connecting to \(peer.endpoint)"
        case .tls: "waiting for the TLS handshake with \(peer.server)"
        case .send: "sending the request to \(peer.server)"
        case .produce: "waiting for the stream of the request body for \(peer.server)"
        case .firstByte: "waiting for the first byte of the response from \(peer.server)"
        case .receive: "receiving the response from \(peer.server)"
        case .consume: "waiting for the reader of the response from \(peer.server)"
        }
    }
}
