import CommandArguments
import GatewayClient
import GatewayLibC

/// `gateway watch`: shows the stream of a dashboard in a terminal.
@MainActor
struct WatchCommand {
    private let arguments: ParsedArguments

    init(_ arguments: ParsedArguments) { self.arguments = arguments }

    /// Shows the frames until the stream ends or the command is interrupted.
    ///
    /// - Returns: the exit status.
    func run() async throws -> Int32 {
        let link = arguments.positional.first == "-" ? try await Self.readLink() : nil
        let watched = try WatchArguments(arguments, link: link)
        var configuration = CurlConfiguration()
        // A frame comes each second.
        configuration.timeouts = .server
        configuration.unixSocketPath = watched.socket
        // No engine: nothing is retried, followed or measured, and no variable of the environment counts.
        let transport = CurlTransport(configuration: configuration)
        var context = RequestContext(options: CallOptions())
        context.response = .stream
        let response = try await transport.send(watched.request, context: context)
        guard response.status == 200 else { throw Self.refusal(response.status) }
        var events = WatchedEvents()
        var view = WatchView(isTerminal: Console.isTerminal)
        do {
            for try await chunk in response.body {
                for event in try events.read(chunk) {
                    if let text = view.text(for: event, size: Self.terminalSize) { try Console.print(text) }
                }
            }
        } catch let error as NetworkError where error.code == .cancelled {
            try Console.print(view.end)
            throw CancellationError()
        }
        try Console.print(view.end)
        throw CommandFailure(ExitStatus.network, "the stream has ended")
    }

    private static func readLink() async throws -> String {
        let bytes = try await StandardInput().read()
        let line = bytes.split(separator: UInt8(ascii: "\n")).first ?? []
        return String(decoding: line, as: UTF8.self).trimmingHTTPWhitespace()
    }

    private static func refusal(_ status: Int) -> CommandFailure {
        switch status {
        case 404:
            CommandFailure(
                ExitStatus.refused, "there is no dashboard at this link: each start has another one")
        case 421: CommandFailure(ExitStatus.refused, "the dashboard does not accept this host name")
        case 503: CommandFailure(ExitStatus.refused, "the dashboard has as many viewers as it allows")
        default: CommandFailure(ExitStatus.refused, "the response has the status \(status)")
        }
    }

    /// The columns and rows of the terminal; 80 and 24 if they are not known.
    private static var terminalSize: (columns: Int, rows: Int) {
        var size = winsize()
        guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0
        else {
            return (80, 24)
        }
        return (Int(size.ws_col), Int(size.ws_row))
    }
}
