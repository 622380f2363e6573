import CommandArguments
import GatewayClient

/// What `gateway watch` was asked for.
struct WatchArguments {
    /// The request for the stream.
    let request: HTTPRequest
    /// The socket that it is sent to; `nil` for the host of the link.
    let socket: String?

    /// - Parameter link: the link that was read from standard input; `nil` for that of the command line.
    init(_ arguments: ParsedArguments, link: String? = nil) throws {
        guard let text = link ?? arguments.positional.first else {
            throw arguments.error(
                "no link was given: the one that the program printed, or - for standard input")
        }
        let path = text.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
        let base = path.isEmpty ? text : path == "stream" ? String(text.dropLast("stream".count)) : text + "/"
        guard let request = try? HTTPRequest(.get, base + "stream") else {
            throw arguments.error("the link must be a URL, such as http://127.0.0.1:8080/0123…/")
        }
        self.request = request
        socket = arguments.value("--socket")
    }
}
