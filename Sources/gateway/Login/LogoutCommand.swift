import CommandArguments
import GatewayClient

/// `gateway logout`: deletes the tokens of a person in the store, and revokes them at the server.
@MainActor
struct LogoutCommand {
    /// How long the revocation may take.
    private let timeout: Duration

    init(_ arguments: ParsedArguments) throws(UsageError) {
        timeout = try arguments.duration("--timeout") ?? .seconds(30)
    }

    /// Signs out.
    ///
    /// - Returns: the exit status; not 0 if the revocation failed.
    func run() async throws -> Int32 {
        let session = try Session(isVerbose: false, requiresOrigins: false)
        let deadline = Deadline.after(timeout, clock: SystemClock())
        guard let result = try await session.environment.signOut(deadline: deadline) else {
            throw CommandFailure(
                ExitStatus.usage,
                "the variables describe no sign-in: GATEWAY_GRANT is neither authorization_code nor device_code",
                "See: gateway logout --help")
        }
        switch result {
        case .notSignedIn: try Console.print("Nobody is signed in.\n")
        case .revoked:
            try Console.print("Signed out. The tokens are deleted here and revoked at the server.\n")
        case .notRevocable:
            try Console.print(
                "Signed out. The tokens are deleted here. No revocation endpoint is known: until they expire, the "
                    + "server accepts them.\n")
        case .revocationFailed(let error):
            try Console.print("Signed out. The tokens are deleted here.\n")
            Console.complain(
                "the server may still accept them: they could not be revoked: \(error)")
            return ExitStatus.of(error)
        case .responsesLeft(let error, let revocation):
            try Console.print("Signed out. The tokens are deleted here.\n")
            Console.complain("responses of the account are left in the cache: \(error)")
            if let revocation {
                Console.complain(
                    "the server may still accept the tokens: they could not be revoked: \(revocation)")
            }
            return ExitStatus.refused
        }
        return ExitStatus.success
    }
}
