import CommandArguments
import GatewayClient

/// `gateway token`: shows the content of the access token.
@MainActor
struct TokenCommand {
    /// How the token is shown.
    private enum Form { case text, json, raw }

    private let file: String?
    private let form: Form
    private let isVerbose: Bool

    init(_ arguments: ParsedArguments) throws(UsageError) {
        guard !arguments.has("--json") || !arguments.has("--raw") else {
            throw arguments.error("--json and --raw cannot be combined")
        }
        file = arguments.value("--file")
        form = arguments.has("--json") ? .json : arguments.has("--raw") ? .raw : .text
        isVerbose = arguments.has("--verbose")
    }

    /// Gets or reads the token, and prints it.
    ///
    /// - Returns: the exit status.
    func run() async throws -> Int32 {
        let (token, notes) =
            if let file { (try Self.read(file), TokenNotes()) } else { try await get() }
        switch form {
        case .raw: try Console.print(token.exposed + "\n")
        case .json: try Console.print(try TokenDescription(token, lifetime: notes.lifetime).json() + "\n")
        case .text: try Console.print(TokenDescription(token, lifetime: notes.lifetime).text)
        }
        if !notes.missingScopes.isEmpty { Console.complain(Advice.narrowed(notes.missingScopes)) }
        if let (issued, used) = notes.limit {
            Console.complain(
                "the token is valid for \(Timeline.text(issued)); a running program renews it within "
                    + "\(Timeline.text(used))")
        }
        return ExitStatus.success
    }

    private static func read(_ path: String) throws -> Secret {
        do throws(SecretFile.Failure) {
            return path == "-" ? try SecretFile.read(descriptor: 0) : try SecretFile.read(path)
        } catch {
            throw CommandFailure(ExitStatus.usage, "--file: \(error.reason)")
        }
    }

    /// The token that calls would have, and what became known of it.
    private func get() async throws -> (Secret, TokenNotes) {
        let session = try Session(isVerbose: isVerbose, requiresOrigins: false)
        defer { session.timeline?.finish() }
        guard let coordinator = session.coordinator, let key = session.environment.tokenKey else {
            throw CommandFailure(
                ExitStatus.usage,
                "the variables describe no credential: set GATEWAY_TOKEN_FILE, or GATEWAY_ISSUER or "
                    + "GATEWAY_TOKEN_URL and a client", "See: gateway help environment")
        }
        let lease: TokenLease
        do { lease = try await coordinator.token(for: key) } catch {
            await session.finishEndedLogins()
            throw error
        }
        await session.settle()
        return (lease.accessToken, session.notes)
    }
}
