public import GatewayCore

/// An engine that has a separate transport for token requests: without authentication, retries and coalescing, and with
/// its own connections. Why: a token can then be requested while calls occupy all connection slots.
public protocol TokenTransportProviding: Sendable {
    /// The transport for token requests.
    var tokenTransport: any Transport { get }
}
