import CommandArguments

/// The command line of `gateway-chaos serve`.
struct ServeOptions {
    static let options = [
        OptionSpec("--to", nil, .text("PORT"), help: "the port of the server"),
        OptionSpec("--port", nil, .text("PORT"), help: "the port of the proxy (default: a free one)"),
        OptionSpec(
            "--control", nil, .file("PATH"), help: "the unix socket for commands (default: none)"),
        OptionSpec(
            "--seed", nil, .text("N"), help: "what jitter, loss and resets are drawn from (default: 1)"),
        OptionSpec(
            "--connections", nil, .text("N"),
            help: "open connections at most; further ones wait (default: 4096)"),
        OptionSpec(
            "--until-eof", help: "ends with its standard input too, and so with the process that started it"),
    ]

    /// The port of the server.
    let target: UInt16
    /// The port that clients connect to; 0 for any free one.
    let port: UInt16
    /// The path of the control socket; `nil` for none.
    let control: String?
    let seed: UInt64
    let connections: Int
    private(set) var settings = Settings()
    /// Whether the proxy ends with its standard input.
    let endsWithInput: Bool

    init(_ arguments: ParsedArguments) throws(UsageError) {
        guard let target = try arguments.number("--to", in: 1...UInt16.max) else {
            throw arguments.error("--to PORT is required: the port of the server")
        }
        self.target = target
        port = try arguments.number("--port", in: 0...UInt16.max) ?? 0
        control = arguments.value("--control")
        seed = try arguments.number("--seed", in: 0...UInt64.max) ?? 1
        connections = try arguments.number("--connections", in: 1...100_000) ?? 4096
        endsWithInput = arguments.has("--until-eof")
        try settings.apply(arguments.positional.map { Substring($0) })
    }
}
