import CommandArguments
import GatewayClient

/// The command line of `gateway status`.
struct StatusArguments {
    /// Whether each change is printed until the command is interrupted.
    let watches: Bool
    /// The origins that are checked.
    let origins: [Origin]
    /// The path that is requested of each.
    let path: String
    /// How often they are checked; `nil` for the default.
    let interval: Duration?

    init(_ arguments: ParsedArguments) throws(UsageError) {
        watches = arguments.has("--watch")
        var origins: [Origin] = []
        for text in arguments.all("--origin") {
            guard let origin = try? Origin(text) else {
                throw arguments.error(
                    "--origin must be a URL without user, path and query, such as https://api.example.com")
            }
            if !origins.contains(origin) { origins.append(origin) }
        }
        self.origins = origins
        path = arguments.value("--path") ?? "/"
        guard (try? ParsedURL("http://localhost" + path))?.target == path else {
            throw arguments.error("--path must be a path that begins with /")
        }
        interval = try arguments.duration("--interval")
        if arguments.has("--interval"), !watches || origins.isEmpty {
            throw arguments.error("--interval needs --watch and --origin")
        }
        if arguments.has("--path"), origins.isEmpty { throw arguments.error("--path needs --origin") }
    }
}
