import CommandArguments
import GatewayClient

/// `gateway login`: signs in a person, by a browser on this machine or by another device.
@MainActor
struct LoginCommand {
    /// How long a sign-in by a browser may take by default.
    private static let defaultTimeout: Duration = .seconds(600)

    /// How long the sign-in may take; `nil` for the default.
    private let timeout: Duration?
    /// How the person signs in; `nil` as the environment says.
    private let kind: GatewayEnvironment.SignInKind?
    private let opensBrowser: Bool

    init(_ arguments: ParsedArguments) throws(UsageError) {
        for option in ["--browser", "--no-open"] where arguments.has("--device") && arguments.has(option) {
            throw arguments.error("--device and \(option) cannot be combined")
        }
        timeout = try arguments.duration("--timeout")
        kind = arguments.has("--browser") ? .browser : arguments.has("--device") ? .device : nil
        opensBrowser = !arguments.has("--no-open")
    }

    /// Waits for the person, and stores the grant.
    ///
    /// - Returns: the exit status.
    func run() async throws -> Int32 {
        let session = try Session(isVerbose: false, requiresOrigins: false)
        let environment = session.environment
        guard let configured = environment.signInKind, let key = environment.tokenKey,
            let coordinator = session.coordinator
        else { throw Self.noSignIn }
        let grant: TokenGrant
        do {
            grant =
                switch kind ?? configured {
                case .browser: try await grantByBrowser(environment, key)
                case .device: try await grantByDevice(environment, key)
                }
        } catch NetworkError.timeout {
            let limit = timeout.map { "\(Timeline.text($0)) (--timeout)" } ?? "the time limit"
            throw CommandFailure(
                ExitStatus.network,
                "nobody signed in within \(limit); start again by `gateway login`, with a longer --timeout")
        } catch let error as NetworkError {
            throw environment.naming(error)
        }
        coordinator.signIn(key, with: grant)
        try await coordinator.waitUntilStored(key)
        // Those of the login before.
        await session.finishEndedLogins()
        if grant.refreshToken == nil {
            Console.complain(
                "the server issued no refresh token: sign in again when the access token expires")
        }
        try Console.print("Signed in.\n")
        return ExitStatus.success
    }

    private static var noSignIn: CommandFailure {
        CommandFailure(
            ExitStatus.usage,
            "the variables describe no sign-in: set GATEWAY_GRANT=authorization_code (a browser on this machine) or",
            "GATEWAY_GRANT=device_code (another device), and a client", "See: gateway login --help")
    }

    private func grantByDevice(
        _ environment: GatewayEnvironment, _ key: TokenKey
    ) async throws -> TokenGrant {
        guard let device = try await environment.deviceAuthorization() else { throw Self.noSignIn }
        let deadline = timeout.map { Deadline.after($0, clock: SystemClock()) }
        return try await device.grant(for: key, deadline: deadline) { prompt in
            let limit = timeout.flatMap {
                $0 < prompt.expiresIn ? "\(Timeline.text($0)) (--timeout)" : nil
            }
            try Console.print(
                "Open \(prompt.verificationURI) and enter the code \(prompt.userCode)\n"
                    + (prompt.verificationURIComplete.map { "or open \($0)\n" } ?? "")
                    + "within \(limit ?? Timeline.text(prompt.expiresIn)).\n")
        }
    }

    private func grantByBrowser(
        _ environment: GatewayEnvironment, _ key: TokenKey
    ) async throws -> TokenGrant {
        guard let browser = try await environment.authorizationCode() else { throw Self.noSignIn }
        let timeout = timeout ?? Self.defaultTimeout
        let deadline = Deadline.after(timeout, clock: SystemClock())
        let launcher = opensBrowser ? BrowserLauncher() : nil
        return try await browser.grant(for: key, deadline: deadline) { url in
            // The URL is printed first: a browser may not appear although it was started.
            let time = "within \(Timeline.text(timeout))"
            try Console.print(
                (launcher == nil
                    ? "Open this URL in a browser on this machine \(time):\n"
                    : "A browser opens. If it does not, open this URL on this machine \(time):\n") + url
                    + "\n")
            if let launcher, !launcher.open(url) { Console.complain("xdg-open cannot be started") }
        }
    }
}
