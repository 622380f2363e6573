/// The commands that a running proxy is given.
enum ControlClient {
    /// Sends a command and prints the response.
    ///
    /// - Returns: whether the proxy executed it.
    static func run(_ arguments: [Substring]) throws -> Bool {
        var path: String?
        var words: [Substring] = []
        var rest = arguments[...]
        while let word = rest.popFirst() {
            if word == "--control" {
                guard let value = rest.popFirst() else { throw UsageError("'--control' has no value") }
                path = String(value)
            } else if word.hasPrefix("--") {
                throw UsageError("unknown option '\(word)'")
            } else {
                words.append(word)
            }
        }
        guard let path else { throw UsageError("'--control PATH' is required: the socket of the proxy") }
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
