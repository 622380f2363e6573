import CommandArguments

/// The commands that a running proxy is given.
enum ControlClient {
    static let options = [
        OptionSpec("--control", nil, .file("PATH"), help: "the unix socket of the proxy")
    ]

    /// Sends a command and prints the response.
    ///
    /// - Returns: whether the proxy executed it.
    static func run(_ command: String, _ arguments: ParsedArguments) throws -> Bool {
        guard let path = arguments.value("--control") else {
            throw arguments.error("--control PATH is required: the socket of the proxy")
        }
        let words = [command] + arguments.positional
        let socket = try Sockets.connected(path: path)
        defer { Sockets.close(socket) }
        var line = Array((words.joined(separator: " ") + "\n").utf8)[...]
        while !line.isEmpty { line = line.dropFirst(try Sockets.write(socket, line)) }
        var response: [UInt8] = []
        while response.last != UInt8(ascii: "\n") {
            guard let bytes = try Sockets.read(socket, upTo: 4096) else { continue }
            guard !bytes.isEmpty else { throw SystemError("the proxy closed the control socket", 104) }
            response += bytes
        }
        print(String(decoding: response.dropLast(), as: UTF8.self))
        return response.starts(with: Array(#"{"ok":true"#.utf8))
    }
}
