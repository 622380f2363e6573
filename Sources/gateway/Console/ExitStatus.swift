import GatewayClient

/// What the exit status says.
enum ExitStatus {
    /// Done.
    static let success: Int32 = 0
    /// The answer has a status of 400 or more.
    static let refused: Int32 = 1
    /// The command line or a variable is wrong.
    static let usage: Int32 = 2
    /// No token can be had.
    static let authentication: Int32 = 3
    /// No answer came, or it could not be taken.
    static let network: Int32 = 4

    /// What an error that ended a call stands for.
    static func of(_ error: NetworkError) -> Int32 {
        switch error.code {
        case .invalidURL, .invalidRequest, .bodyFailed: usage
        default: error.category == .authentication ? authentication : network
        }
    }
}

/// Why the command ends before its time.
struct CommandFailure: Error {
    let status: Int32
    let text: String

    init(_ status: Int32, _ text: String) {
        self.status = status
        self.text = text
    }

    /// What ended a call.
    init(_ error: NetworkError) {
        self.init(ExitStatus.of(error), "\(error)" + (Advice.about(error).map { "\n" + $0 } ?? ""))
    }
}
