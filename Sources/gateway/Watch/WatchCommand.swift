import CommandArguments
import GatewayClient
import GatewayLibC

/// `gateway watch`: shows the stream of a dashboard in a terminal.
@MainActor
struct WatchCommand {
    /// How often a stream that was lost is looked for, when nobody at a terminal ends the command.
    private static let attemptLimit = 15

    private let arguments: ParsedArguments

    init(_ arguments: ParsedArguments) { self.arguments = arguments }

    /// Shows the frames until the dashboard is stopped, cannot be connected to any more, or the command is interrupted.
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
        var view = WatchView(isTerminal: Self.isScreen)
        // The cursor is shown again, however the command ends.
        defer { try? Console.print(view.end) }
        var events = WatchedEvents()
        var attempts = 0
        while true {
            do {
                try await Self.follow(watched.request, transport, &events, &view) { attempts = 0 }
                throw CommandFailure(ExitStatus.network, "the stream has ended")
            } catch let error as NetworkError where view.hasBegun && error.code != .cancelled {
                attempts += 1
                guard Self.isScreen || attempts <= Self.attemptLimit else { throw error }
                if attempts == 1 { try Self.tell(of: view) }
            }
            try await Task.sleep(for: events.retryDelay)
        }
    }

    /// Shows the events of one connection until the stream ends.
    ///
    /// - Parameter heard: called when something has come.
    private static func follow(
        _ request: HTTPRequest, _ transport: CurlTransport, _ events: inout WatchedEvents,
        _ view: inout WatchView, heard: () -> Void
    ) async throws {
        var context = RequestContext(options: CallOptions())
        context.response = .stream
        let response = try await transport.send(request, context: context)
        if response.status == 503, view.hasBegun {
            throw NetworkError(.unacceptableStatus, "The dashboard has as many viewers as it allows.")
        }
        guard response.status == 200 else { throw refusal(response.status) }
        events.restart()
        for try await chunk in response.body {
            try events.read(chunk) { event in
                heard()
                if let text = view.text(for: event, size: terminalSize) { try Console.print(text) }
            }
        }
    }

    private static func tell(of view: WatchView) throws {
        let text = "the connection was lost; connecting again"
        if isScreen {
            try Console.print(view.notice(text, size: terminalSize))
        } else {
            Console.complain(text)
        }
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

    /// Whether the output is a terminal that can be drawn on.
    private static var isScreen: Bool { Console.isTerminal && variable("TERM") != "dumb" }

    private static func variable(_ name: String) -> String? {
        unsafe getenv(name).map { unsafe String(cString: $0) }
    }

    /// The columns and rows of the terminal, or those of `COLUMNS` and `LINES`; 80 and 24 if they are not known.
    private static var terminalSize: (columns: Int, rows: Int) {
        var size = winsize()
        if unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 {
            return (Int(size.ws_col), Int(size.ws_row))
        }
        func number(_ name: String) -> Int? { variable(name).flatMap { UInt16($0) }.map { Int($0) } }
        return (max(1, number("COLUMNS") ?? 80), max(1, number("LINES") ?? 24))
    }
}
