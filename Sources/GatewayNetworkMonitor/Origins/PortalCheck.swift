public import GatewayCore

/// Requests a path of each configured origin now and then, and looks whether the origin itself answers: networks that
/// require a sign-in (captive portals) answer in its place.
///
/// ```swift
/// configuration.origins = [try Origin("http://api.example.com")]
/// configuration.portalCheck = PortalCheck(transport: CurlTransport(), path: "/health", expectedText: "ok")
/// ```
/// It is a portal that answers if the response is
///
/// - 511 (RFC 6585 §6),
/// - a redirection to another host,
/// - a success whose body does not contain ``expectedText``.
///
/// The requests carry no credential, and go to no other host. A portal can rarely answer for an `https` origin; the request
/// then fails in TLS, and counts as described at ``ReachabilityMonitor/Configuration/reportsInterceptedTLS``.
public struct PortalCheck: Sendable {
    /// Makes the requests; one of its own, so that they use no connection of calls.
    public var transport: any Transport
    /// The path, with a query if there is one. The origin must not redirect it to another host. `/`.
    public var path: String
    /// What the body of a successful response contains, of which 64 KiB are read; `nil`, the default, for anything.
    public var expectedText: String?
    /// How long a request may take. 5 s.
    public var timeout: Duration

    /// Creates a check.
    public init(
        transport: any Transport, path: String = "/", expectedText: String? = nil,
        timeout: Duration = .seconds(5)
    ) {
        self.transport = transport
        self.path = path
        self.expectedText = expectedText
        self.timeout = timeout
    }

    func validate() throws(NetworkError) {
        try NetworkError.require(timeout > .zero, "timeout", "must be more than 0")
        try NetworkError.require(path.hasPrefix("/"), "path", "must begin with /")
        try NetworkError.require(expectedText?.isEmpty != true, "expectedText", "must not be empty")
    }

    /// Who answered.
    enum Answer: Hashable, Sendable {
        case origin
        case portal
        case tlsFailure
        /// Nobody, or it cannot be told.
        case unknown
    }

    /// Requests the path.
    func answer(from origin: Origin, clock: any GatewayClock) async -> Answer {
        do throws(NetworkError) {
            let request = try HTTPRequest(.get, "\(origin)\(path)")
            let context = RequestContext(
                options: CallOptions(deadline: timeout, responseLimit: 64 << 10), clock: clock)
            return read(try await transport.send(request, context: context), to: request)
        } catch {
            switch error.code {
            case .tlsFailure: return .tlsFailure
            case .responseTooLarge: return expectedText == nil ? .origin : .portal
            default: return .unknown
            }
        }
    }

    private func read(_ response: HTTPResponse, to request: HTTPRequest) -> Answer {
        if response.status == 511 { return .portal }
        if (300..<400).contains(response.status), response.fields.contains(.location) {
            guard case .line(let location) = response.fields.occurrence(of: .location),
                let base = try? ParsedURL("\(request.origin)\(request.target)"),
                let target = try? base.resolving(location.reference)
            else { return .portal }
            return target.origin.host == request.origin.host ? .origin : .portal
        }
        guard response.isSuccess, let expectedText else { return .origin }
        let body = response.body.bytes ?? []
        return String(decoding: body, as: UTF8.self).contains(expectedText) ? .origin : .portal
    }
}

extension PortalCheck: Redacted {
    /// The name of the type.
    public var description: String { "PortalCheck" }
}
