import CommandArguments
import GatewayLibC

/// The control socket: a line per command, and a line of JSON per response.
extension Proxy {
    private static let longestLine = 4096

    func acceptCommand(_ control: Int32) {
        while true {
            let (descriptor, _) = Sockets.accepted(from: control)
            guard descriptor >= 0 else { return }
            commands[descriptor] = []
            epoll.add(descriptor, Token.command | UInt64(descriptor), .readable)
        }
    }

    func readCommand(_ descriptor: Int32) {
        guard var line = commands[descriptor] else { return }
        guard let bytes = try? Sockets.read(descriptor, upTo: Self.longestLine), !bytes.isEmpty else {
            return closeCommand(descriptor)
        }
        line += bytes
        while let end = line.firstIndex(of: UInt8(ascii: "\n")) {
            let response = Array((answer(String(decoding: line[..<end], as: UTF8.self)) + "\n").utf8)
            line.removeSubrange(...end)
            // A client that does not read its responses is dropped.
            guard (try? Sockets.write(descriptor, response[...])) == response.count else {
                return closeCommand(descriptor)
            }
        }
        guard line.count <= Self.longestLine else { return closeCommand(descriptor) }
        commands[descriptor] = line
    }

    private func closeCommand(_ descriptor: Int32) {
        commands[descriptor] = nil
        Sockets.close(descriptor)
    }

    /// Executes a command.
    private func answer(_ line: String) -> String {
        let words = line.split(whereSeparator: { $0 == " " || $0 == "\r" })
        do {
            return JSONText.object([("ok", "true")] + (try execute(words)))
        } catch let error as UsageError {
            return JSONText.object([("ok", "false"), ("error", JSONText.string(error.text))])
        } catch let error as SystemError {
            return JSONText.object([("ok", "false"), ("error", JSONText.string(error.text))])
        } catch {
            return JSONText.object([("ok", "false"), ("error", JSONText.string("\(error)"))])
        }
    }

    private func execute(_ words: [Substring]) throws -> [(String, String)] {
        let arguments = words.dropFirst()
        func expectNone() throws(UsageError) {
            if let word = arguments.first { throw UsageError("unexpected word '\(word)'") }
        }
        switch words.first {
        case "set":
            guard !arguments.isEmpty else { throw UsageError("'set' needs assignments such as delay=200ms") }
            var changed = settings
            try changed.apply(arguments)
            try apply(changed)
            return [("settings", settings.json)]
        case "show":
            try expectNone()
            return [("settings", settings.json)]
        case "reset":
            try expectNone()
            try reset()
            return [("settings", settings.json)]
        case "statistics":
            try expectNone()
            return [("statistics", statisticsText)]
        case "close":
            guard arguments.isEmpty || Array(arguments) == ["reset"] else {
                throw UsageError("'close' takes nothing, or the word reset")
            }
            closeAll(arguments.isEmpty ? .cut : .reset)
            return [("statistics", statisticsText)]
        case "shutdown":
            try expectNone()
            end()
            return []
        default:
            throw UsageError(
                "unknown command '\(words.first ?? "")': use set, show, reset, statistics, close or shutdown")
        }
    }

    private var statisticsText: String {
        JSONText.object([
            ("accepted", "\(statistics.accepted)"), ("open", "\(openConnections)"),
            ("finished", "\(statistics.finished)"), ("reset", "\(statistics.reset)"),
            ("cut", "\(statistics.cut)"), ("unreachable", "\(statistics.unreachable)"),
            ("bytes_up", "\(statistics.bytesUp)"), ("bytes_down", "\(statistics.bytesDown)"),
        ])
    }
}
