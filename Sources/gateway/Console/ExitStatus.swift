import GatewayClient

/// The exit statuses.
enum ExitStatus {
    /// Done.
    static let success: Int32 = 0
    /// The response has a status of 400 or more, or an entry of a queue does not exist or was not changed.
    static let refused: Int32 = 1
    /// The command line or a variable is wrong.
    static let usage: Int32 = 2
    /// No token is available, or the one that was rejected cannot be renewed.
    static let authentication: Int32 = 3
    /// No response came, or it could not be read.
    static let network: Int32 = 4

    /// The status for an error that ended a call.
    static func of(_ error: NetworkError) -> Int32 {
        switch error.code {
        case .invalidURL, .invalidRequest, .bodyFailed: usage
        default: error.code.concernsCredential ? authentication : network
        }
    }
}

/// Why the command ends early.
struct CommandFailure: Error {
    let status: Int32
    /// The reason, and what to do about it.
    let lines: [String]

    init(_ status: Int32, _ lines: String...) {
        self.status = status
        self.lines = lines
    }

    /// Describes the error that ended a call.
    init(_ error: NetworkError) {
        status = ExitStatus.of(error)
        lines = ["\(error)"] + (Advice.about(error).map { [$0] } ?? [])
    }

    /// Describes what is wrong with the variables.
    init(_ error: GatewayEnvironmentError) {
        status = ExitStatus.usage
        lines = error.problems.map { "\($0)" } + ["See: gateway help environment"]
    }
}
