import GatewayClient

/// `gateway token`: shows the content of the access token.
@MainActor
struct TokenCommand {
    private let arguments: TokenArguments

    init(_ arguments: TokenArguments) { self.arguments = arguments }

    /// Gets or reads the token, and prints it.
    ///
    /// - Returns: the exit status.
    func run() async throws -> Int32 {
        let (token, lifetime) =
            if let file = arguments.file { try Self.read(file) } else { try await get() }
        switch arguments.form {
        case .raw: try Console.print(token.exposed + "\n")
        case .json: try Console.print(try TokenDescription(token, lifetime: lifetime).json() + "\n")
        case .text: try Console.print(TokenDescription(token, lifetime: lifetime).text)
        }
        return ExitStatus.success
    }

    private static func read(_ path: String) throws -> (Secret, Duration?) {
        do throws(SecretFile.Failure) {
            return (path == "-" ? try SecretFile.read(descriptor: 0) : try SecretFile.read(path), nil)
        } catch {
            throw CommandFailure(ExitStatus.usage, "--file: \(error.reason)")
        }
    }

    /// The token that calls would use, and its lifetime if the token does not have it.
    private func get() async throws -> (Secret, Duration?) {
        let lifetime = Locked<Duration?>(nil)
        let session = try Session(isVerbose: arguments.isVerbose, requiresOrigins: false) { event in
            switch event.kind {
            case .refreshed(let told), .adopted(let told): lifetime.withLock { $0 = told }
            default: break
            }
        }
        defer { session.timeline?.finish() }
        guard let coordinator = session.coordinator, let key = session.environment.tokenKey else {
            throw CommandFailure(
                ExitStatus.usage,
                "the variables describe no credential: set GATEWAY_TOKEN_FILE, or GATEWAY_ISSUER or "
                    + "GATEWAY_TOKEN_URL and a client\nSee: gateway help environment")
        }
        let lease = try await coordinator.token(for: key)
        await session.settle()
        return (lease.accessToken, lifetime.withLock { $0 })
    }
}
