public import GatewayCore
import GatewayJSON

/// Signs in a user on a device that shows a code; the user enters it in a browser on another device (RFC
/// 8628).
///
/// ```swift
/// let grant = try await DeviceAuthorization(endpoint: endpoint).grant(for: key) { prompt in
///     print("Open \(prompt.verificationURI) and enter \(prompt.userCode)")
/// }
/// coordinator.signIn(key, with: grant)      // its acquirer is a RefreshTokenGrant
/// ```
/// It requires user interaction, so it is not a ``TokenAcquirer``: a refresh must end within seconds,
/// without a user.
public struct DeviceAuthorization: Sendable {
    /// The codes to show to the user.
    public struct Prompt: Sendable {
        /// The code to enter.
        public let userCode: String
        /// The URL of the page where the user enters the code.
        public let verificationURI: String
        /// A URL that contains the code, for example for a QR code; `nil` if the server sends none.
        public let verificationURIComplete: String?
        /// How long the codes are valid.
        public let expiresIn: Duration
    }

    /// The time limit of a single request.
    private static let patience: Duration = .seconds(30)

    private let endpoint: TokenEndpoint

    /// Creates a sign-in at an endpoint whose device authorization endpoint is known.
    public init(endpoint: TokenEndpoint) { self.endpoint = endpoint }

    /// Requests codes, shows them, and waits for the user's decision.
    ///
    /// The server is polled every five seconds, or at the interval that it returns. Each `slow_down` adds
    /// five seconds. Polling stops when the codes expire.
    ///
    /// - Parameters:
    ///   - key: the key of the grant.
    ///   - deadline: when to stop waiting; `nil` for the expiration of the codes.
    ///   - isolation: the actor that `prompt` runs on: the caller's.
    ///   - prompt: shows the codes.
    /// - Throws: ``GatewayCore/NetworkError`` with the code `authorizationDenied`, `authorizationExpired`,
    ///   `timeout`, `cancelled`, or another of category `authentication`. An error of `prompt` is the
    ///   underlying error.
    public func grant(
        for key: TokenKey, deadline: Deadline? = nil, isolation: isolated (any Actor)? = #isolation,
        prompt: (Prompt) async throws -> Void
    ) async throws(NetworkError) -> TokenGrant {
        let clock = endpoint.clock
        let sent = clock.now
        let codes = try await codes(for: key, deadline)
        var polling = DevicePolling(lifetime: codes.lifetime, interval: codes.interval, now: sent)
        do { try await prompt(codes.prompt) } catch { throw NetworkError(acquiring: error) }
        var step = polling.next(after: nil, now: clock.now)
        while case .ask(let instant) = step {
            try await sleep(until: instant, deadline)
            let limit = min(polling.end, clock.now + Self.patience)
            let answer = await ask(
                codes.deviceCode, Deadline(deadline.map { min($0.instant, limit) } ?? limit))
            switch answer {
            case .granted(let grant): return grant
            case .failed(let error): throw error
            case .pending(let code, let retryAfter):
                step = polling.next(after: code, retryAfter: retryAfter, now: clock.now)
            }
        }
        throw NetworkError(
            .authorizationExpired, "The codes expired before anybody signed in. Start the sign-in again.",
            origin: endpoint.origin)
    }

    // MARK: Codes

    private struct Codes {
        let deviceCode: Secret
        let prompt: Prompt
        let lifetime: Duration
        let interval: Duration?
    }

    private func codes(for key: TokenKey, _ deadline: Deadline?) async throws(NetworkError) -> Codes {
        guard let place = endpoint.deviceAuthorization else {
            throw NetworkError(
                .credentialMisconfigured,
                .endpointMissing(.deviceAuthorization, isDiscovered: endpoint.isDiscovered),
                endpoint.isDiscovered
                    ? "The issuer's metadata has no device authorization endpoint."
                    : "No device authorization endpoint is configured.", origin: endpoint.origin)
        }
        let limit = endpoint.clock.now + Self.patience
        let response = try await endpoint.post(
            key.parameters, to: place, .deviceAuthorization, operation: "device",
            deadline: Deadline(deadline.map { min($0.instant, limit) } ?? limit))
        let members = try response.object()
        // `verification_url` is the name in an early draft, which Google uses.
        let address = members["verification_uri"] ?? members["verification_url"]
        guard let deviceCode = members["device_code"]?.string, !deviceCode.isEmpty,
            let userCode = members["user_code"]?.string, Self.isPrintable(userCode),
            let uri = address?.string, Self.isWebAddress(uri),
            let lifetime = TokenResponse.lifetime(members["expires_in"]), lifetime > .zero
        else {
            throw NetworkError(
                .tokenResponseMalformed, .notAnOAuthResponse(.deviceAuthorization),
                "The response of the device authorization endpoint has no usable codes.",
                origin: place.origin, status: response.status)
        }
        let complete = members["verification_uri_complete"]?.string.flatMap {
            Self.isWebAddress($0) ? $0 : nil
        }
        return Codes(
            deviceCode: Secret(deviceCode),
            prompt: Prompt(
                userCode: userCode, verificationURI: uri, verificationURIComplete: complete,
                expiresIn: lifetime), lifetime: lifetime,
            interval: TokenResponse.lifetime(members["interval"]))
    }

    /// Codes are shown in terminals: visible ASCII only.
    private static func isPrintable(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 64 && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    }

    /// An `https` URL, or a URL of this machine.
    private static func isWebAddress(_ text: String) -> Bool {
        guard text.utf8.count <= 2048, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            let parsed = try? ParsedURL(text)
        else { return false }
        return parsed.origin.isSecureOrLoopback
    }

    // MARK: Waiting

    private enum Answer {
        case granted(TokenGrant)
        case pending(String, retryAfter: Duration?)
        case failed(NetworkError)
    }

    private func ask(_ deviceCode: Secret, _ deadline: Deadline) async -> Answer {
        let parameters = [
            ("grant_type", "urn:ietf:params:oauth:grant-type:device_code"),
            ("device_code", deviceCode.exposed),
        ]
        do throws(NetworkError) {
            let response = try await endpoint.tokenResponse(
                { () throws(NetworkError) in parameters }, spends: false, deadline)
            if let code = response.errorCode, code == "authorization_pending" || code == "slow_down" {
                return .pending(code, retryAfter: response.retryAfter)
            }
            return .granted(try endpoint.grant(of: response))
        } catch {
            if Task.isCancelled { return .failed(Self.cancelled) }
            // A short outage keeps the codes valid.
            guard error.code == .tokenUnavailable else { return .failed(error) }
            return .pending("", retryAfter: error.retryAfter)
        }
    }

    private func sleep(
        until instant: ContinuousClock.Instant, _ deadline: Deadline?
    ) async throws(NetworkError) {
        if let deadline, deadline.instant <= instant {
            do { try await endpoint.clock.sleep(until: deadline.instant) } catch { throw Self.cancelled }
            throw NetworkError(
                .timeout, "The deadline passed before anybody signed in. Start the sign-in again.",
                phase: .call)
        }
        do { try await endpoint.clock.sleep(until: instant) } catch { throw Self.cancelled }
    }

    private static var cancelled: NetworkError {
        NetworkError(.cancelled, "The task was cancelled during the sign-in.")
    }
}
