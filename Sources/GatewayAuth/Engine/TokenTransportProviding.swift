public import GatewayCore

/// An engine that has a transport for token requests, apart from its calls: free of authentication, retries and
/// coalescing, with connections of its own, so that a token can be had while every slot for calls is taken.
public protocol TokenTransportProviding: Sendable {
    /// Makes the exchanges with token endpoints.
    var tokenTransport: any Transport { get }
}
