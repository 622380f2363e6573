/// What keeps calls from their servers although the links are up. A call is never refused because of it.
@nonexhaustive
public enum NetworkObstacle: String, Hashable, CaseIterable, Sendable {
    /// No configured origin accepts a connection.
    case originsUnreachable = "origins_unreachable"
    /// TLS fails towards an origin whose certificate was trusted before: something on the way may intercept connections.
    case interceptedTLS = "intercepted_tls"
    /// Something else answers in place of a configured origin, such as the sign-in page of a wireless network.
    case captivePortal = "captive_portal"

    /// What a person can do about it.
    public var guidance: String {
        switch self {
        case .originsUnreachable: "Check the connection, a VPN and firewalls."
        case .interceptedTLS:
            "A proxy or firewall may intercept connections; use another network or ask its operator."
        case .captivePortal: "This network requires a sign-in; open its page in a browser."
        }
    }
}
