import CommandArguments
import GatewayClient

/// What `gateway watch` was asked for.
struct WatchArguments {
    /// The request for the stream.
    let request: HTTPRequest
    /// The socket that it is sent to; `nil` for the host of the link.
    let socket: String?

    /// - Parameter text: what was read from standard input; `nil` for the link of the command line.
    init(_ arguments: ParsedArguments, text: String? = nil) throws {
        guard let text = text ?? arguments.positional.first else {
            throw arguments.error(
                "no link was given: the one that the program printed, or - for standard input")
        }
        guard let link = Self.link(in: text), let request = try? HTTPRequest(.get, link + "stream") else {
            throw arguments.error("the link must be a URL, such as http://127.0.0.1:8080/0123…/")
        }
        self.request = request
        socket = arguments.value("--socket")
    }

    /// The first URL of a text, such as the line that the program printed, up to the folder that the stream is in.
    private static func link(in text: String) -> String? {
        guard let word = text.split(whereSeparator: \.isWhitespace).first(where: { $0.contains("://") })
        else { return nil }
        let link = word.prefix { !"?#".contains($0) }
        if link.hasSuffix("/stream") { return String(link.dropLast("stream".count)) }
        return link.hasSuffix("/") ? String(link) : link + "/"
    }
}
