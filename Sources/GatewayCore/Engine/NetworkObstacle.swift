/// Why servers cannot be reached although the links are up. No call is refused because of it.
@nonexhaustive
public enum NetworkObstacle: String, Hashable, CaseIterable, Sendable {
    /// No configured origin accepts a connection.
    case originsUnreachable = "origins_unreachable"
    /// TLS fails for an origin whose certificate was trusted before: connections may be intercepted.
    case interceptedTLS = "intercepted_tls"
    /// Another server answers for a configured origin, such as the sign-in page of a wireless network.
    case captivePortal = "captive_portal"

    /// Instructions for the user.
    public var guidance: String {
        switch self {
        case .originsUnreachable: "Check the connection, a VPN and firewalls."
        case .interceptedTLS:
            "A proxy or firewall may intercept connections; use another network or ask its operator."
        case .captivePortal: "This network requires a sign-in; open its page in a browser."
        }
    }
}
