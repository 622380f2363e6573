import GatewayClient

/// What `gateway login` was asked for.
struct LoginArguments {
    /// How long somebody has.
    let timeout: Duration?

    init(_ arguments: ParsedArguments) throws(UsageError) {
        try arguments.limitPositional(to: 0)
        guard let text = arguments.value("--timeout") else {
            timeout = nil
            return
        }
        guard let duration = DurationText.parse(text) else {
            throw arguments.error("--timeout takes a time such as 500ms, 10s or 2m")
        }
        timeout = duration
    }
}

/// `gateway login`: signs somebody in who has a browser elsewhere.
@MainActor
struct LoginCommand {
    private let arguments: LoginArguments

    init(_ arguments: LoginArguments) { self.arguments = arguments }

    /// Waits for somebody, and keeps what that brings.
    ///
    /// - Returns: the exit status.
    func run() async throws -> Int32 {
        let session = try Session(isVerbose: false)
        guard let device = try await session.environment.deviceAuthorization(),
            let key = session.environment.tokenKey, let coordinator = session.coordinator
        else {
            throw CommandFailure(
                ExitStatus.usage,
                "the environment names nobody to sign in: set GATEWAY_GRANT=device_code and what "
                    + "goes with it\nSee: gateway login --help")
        }
        let deadline = arguments.timeout.map { Deadline.after($0, clock: SystemClock()) }
        let grant = try await device.grant(for: key, deadline: deadline) { prompt in
            try Console.print(
                "Open \(prompt.verificationURI) and enter the code \(prompt.userCode)\n"
                    + (prompt.verificationURIComplete.map { "or open \($0)\n" } ?? "")
                    + "within \(Timeline.text(prompt.expiresIn)).\n")
        }
        coordinator.signIn(key, with: grant)
        try await coordinator.waitUntilStored(key)
        if grant.refreshToken == nil {
            Console.complain("there is no refresh token: calls work until the access token ends")
        }
        try Console.print("Signed in.\n")
        return ExitStatus.success
    }
}
