import GatewayClient

/// A parsed command line.
enum Invocation {
    case print(String)
    case call(CallArguments)
    case token(TokenArguments)
    case login(LoginArguments)
    case logout(LogoutArguments)
    case status(StatusArguments)
    case queue(QueueArguments)

    init(_ arguments: [String]) throws(UsageError) {
        guard let first = arguments.first else { throw UsageError("no command was given") }
        let rest = Array(arguments.dropFirst())
        switch first {
        case "--help", "-h": self = .print(HelpText.tool)
        case "--version": self = .print("gateway \(Version.text)\n")
        case "help": self = .print(try Self.help(rest))
        default:
            guard let spec = CommandSpec.all.first(where: { $0.name == first }) else {
                let what = first.hasPrefix("-") ? "option" : "command"
                let known = CommandSpec.all.map(\.name) + ["--help", "--version"]
                let near = NearestName.find(first, among: known, within: max(2, first.utf8.count / 3))
                throw UsageError(
                    "unknown \(what) \"\(first)\"" + (near.map { "; did you mean \"\($0)\"?" } ?? ""))
            }
            let parsed = try ParsedArguments(rest, of: spec)
            self = parsed.wantsHelp ? .print(HelpText.text(of: spec)) : try Self.command(spec, parsed)
        }
    }

    private static func command(
        _ spec: CommandSpec, _ arguments: ParsedArguments
    ) throws(UsageError) -> Invocation {
        switch spec.name {
        case "call": return .call(try CallArguments(arguments))
        case "token": return .token(try TokenArguments(arguments))
        case "login": return .login(try LoginArguments(arguments))
        case "logout": return .logout(try LogoutArguments(arguments))
        case "status": return .status(try StatusArguments(arguments))
        case "queue": return .queue(try QueueArguments(arguments))
        default:
            try arguments.limitPositional(to: 1)
            switch arguments.positional.first {
            case "bash"?: return .print(CompletionScript.bash)
            case "zsh"?: return .print(CompletionScript.zsh)
            case let shell?:
                throw arguments.error("shell \"\(shell)\" is not supported: use bash or zsh")
            case nil: throw arguments.error("no shell was given: bash or zsh")
            }
        }
    }

    private static func help(_ arguments: [String]) throws(UsageError) -> String {
        guard arguments.count <= 1 else { throw UsageError("only one topic can be given") }
        guard let topic = arguments.first, topic != "--help", topic != "-h" else { return HelpText.tool }
        if topic == "environment" { return HelpText.environment }
        guard let spec = CommandSpec.all.first(where: { $0.name == topic }) else {
            let known = CommandSpec.helpTopics.words
            let near = NearestName.find(topic, among: known, within: max(2, topic.utf8.count / 3))
            throw UsageError("unknown topic \"\(topic)\"" + (near.map { "; did you mean \"\($0)\"?" } ?? ""))
        }
        return HelpText.text(of: spec)
    }
}
