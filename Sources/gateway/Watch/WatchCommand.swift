import CommandArguments
import GatewayClient
import GatewayLibC

/// `gateway watch`: shows the stream of a dashboard in a terminal.
@MainActor
final class WatchCommand {
    /// How often a stream that was lost is looked for, when nobody at a terminal ends the command.
    private static let attemptLimit = 15
    /// How many seconds without a frame are told: a dashboard sends one each second.
    private static let silenceLimit = 4
    /// What is read without a pause, and what more in each second: a dashboard sends 64 KiB.
    private static let (firstBytes, bytesPerSecond) = (8 << 20, 256 << 10)
    /// How much of standard input is searched for a link.
    private static let inputLimit = 64 << 10

    private let arguments: ParsedArguments
    private var view = WatchView(isTerminal: isScreen)
    private var events = WatchedEvents()
    /// Attempts since a frame has come.
    private var attempts = 0
    /// Seconds since a frame has come or the command was started; they stand still while a lost connection is made again.
    private var silence = 0
    private var readableBytes = firstBytes

    init(_ arguments: ParsedArguments) { self.arguments = arguments }

    /// Shows the frames until the dashboard is stopped, cannot be connected to any more, or the command is interrupted.
    ///
    /// - Returns: the exit status.
    func run() async throws -> Int32 {
        let text = arguments.positional.first == "-" ? try await Self.readInput() : nil
        let watched = try WatchArguments(arguments, text: text)
        let origin = watched.request.origin
        if watched.socket == nil, !origin.isSecureOrLoopback {
            Console.complain("the link is sent to \(origin) over plain HTTP: others on the way can read it")
        }
        var configuration = CurlConfiguration()
        // A frame comes each second.
        configuration.timeouts = .server
        configuration.unixSocketPath = watched.socket
        // No engine: nothing is retried, followed or measured, and no variable of the environment counts.
        let transport = CurlTransport(configuration: configuration)
        defer { try? Console.print(view.end) }
        let seconds = Task { try await countSeconds() }
        defer { seconds.cancel() }
        while true {
            do {
                try await follow(watched.request, transport)
                throw CommandFailure(ExitStatus.network, "the stream has ended")
            } catch let error as NetworkError where error.code != .cancelled {
                guard view.hasBegun else { throw CommandFailure(ExitStatus.of(error), "\(error)") }
                attempts += 1
                guard Self.isScreen || attempts <= Self.attemptLimit else {
                    throw CommandFailure(
                        ExitStatus.network, "the connection was lost, and cannot be made again: \(error)")
                }
                if attempts == 1 { try tell("the connection was lost; connecting again") }
            }
            try await Task.sleep(for: events.retryDelay)
        }
    }

    /// Shows the events of one connection until the stream ends.
    private func follow(_ request: HTTPRequest, _ transport: CurlTransport) async throws {
        var context = RequestContext(options: CallOptions())
        context.response = .stream
        let response = try await transport.send(request, context: context)
        if response.status == 503, view.hasBegun {
            throw NetworkError(.unacceptableStatus, "The dashboard has as many viewers as it allows.")
        }
        guard response.status == 200 else { throw Self.refusal(response.status) }
        guard response.fields[.contentType]?.lowercased().hasPrefix("text/event-stream") == true else {
            throw WatchedEvents.isForeign
        }
        events.restart()
        for try await chunk in response.body {
            try events.read(chunk) { event in
                (attempts, silence) = (0, 0)
                if let text = view.text(for: event, size: Self.terminalSize) { try Console.print(text) }
            }
            readableBytes -= chunk.count
            while readableBytes < 0 { try await Task.sleep(for: .milliseconds(100)) }
        }
    }

    /// Says that no frame comes, once until one does. Seconds are counted, so that one in which this command was stopped is
    /// one at most.
    private func countSeconds() async throws {
        while true {
            try await Task.sleep(for: .seconds(1))
            readableBytes = min(Self.firstBytes, readableBytes + Self.bytesPerSecond)
            // A lost connection was told.
            guard attempts == 0 else { continue }
            silence += 1
            if silence == Self.silenceLimit { try tell("no frame has come for \(Self.silenceLimit) s") }
        }
    }

    private func tell(_ text: String) throws {
        if view.hasDrawn {
            try Console.print(view.notice(text, size: Self.terminalSize))
        } else {
            Console.complain(text)
        }
    }

    /// What standard input has up to the line with the link.
    private static func readInput() async throws -> String {
        let input = StandardInput()
        var bytes: [UInt8] = []
        while bytes.count < inputLimit {
            let part = try await input.read()
            if part.isEmpty { break }
            bytes += part
            guard let end = bytes.lastIndex(of: UInt8(ascii: "\n")) else { continue }
            if String(decoding: bytes[..<end], as: UTF8.self).contains("://") { break }
        }
        return String(decoding: bytes, as: UTF8.self)
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
    private static var isScreen: Bool { Console.isTerminal && !Console.isDumb }

    /// The columns and rows of the terminal, or those of `COLUMNS` and `LINES`; 80 and 24 if they are not known.
    private static var terminalSize: (columns: Int, rows: Int) {
        var size = winsize()
        if unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 {
            return (Int(size.ws_col), Int(size.ws_row))
        }
        func number(_ name: String) -> Int? {
            ProcessEnvironment.value(name).flatMap { UInt16($0) }.map { Int($0) }
        }
        return (max(1, number("COLUMNS") ?? 80), max(1, number("LINES") ?? 24))
    }
}
