import GatewayClient

/// What `--help` prints, made of the specifications.
enum HelpText {
    /// The help of the command itself.
    static var tool: String {
        let commands = CommandSpec.all.map { "  \(pad($0.name, 12))\($0.summary)" }.joined(separator: "\n")
        return """
            gateway: calls APIs behind an authenticating gateway

            Usage:
              gateway COMMAND [options]
              gateway --help | --version

            Commands:
            \(commands)

            Whom calls go to, and by which credential, stands in environment variables:
              GATEWAY_BASE_URL            what relative URLs begin with; gets the credential
              GATEWAY_TOKEN_URL           where tokens come from
              GATEWAY_CLIENT_ID           who asks for them
              GATEWAY_CLIENT_SECRET_FILE  a file with the secret that proves it
            or GATEWAY_TOKEN_FILE, a file with a token. Without a credential calls go without one.
            All variables: gateway help environment

            Examples:
              gateway call GET https://api.example.com/books
              gateway token
              gateway help call

            Exit status: 0 done; 1 the answer has a status of 400 or more; 2 wrong usage or a wrong variable;
            3 no token can be had; 4 no answer, or one that could not be taken; 130 interrupted.

            """
    }

    /// The help of a subcommand.
    static func text(of spec: CommandSpec) -> String {
        var text =
            "gateway \(spec.name): \(spec.summary)\n\nUsage:\n  gateway \(spec.name) \(spec.arguments)\n"
        if !spec.details.isEmpty { text += "\n" + spec.details.map { $0 + "\n" }.joined() }
        text += "\nOptions:\n"
        let heads = spec.allOptions.map { option in
            (option.short.map { $0 + ", " } ?? "    ") + option.name
                + (option.value.name.map { " " + $0 } ?? "")
        }
        let width = (heads.map(\.utf8.count).max() ?? 0) + 2
        for (head, option) in zip(heads, spec.allOptions) {
            for (number, line) in option.help.enumerated() {
                text += "  " + pad(number == 0 ? head : "", width) + line + "\n"
            }
        }
        text += "\nExamples:\n" + spec.examples.map { "  " + $0 + "\n" }.joined()
        return text
    }

    /// The variables.
    static var environment: String {
        var text = """
            Environment variables. An empty value counts as none; a wrong one ends the command with status 2 before
            anything is sent. Secrets are better kept in files.


            """
        for variable in GatewayEnvironment.Variable.all {
            text += "\(variable.name)\n  \(plain(variable.summary))\n  Value: \(plain(variable.expected))"
            text += (variable.fallback.map { "; without it: \(plain($0))" } ?? "") + "\n"
        }
        return text
    }

    private static func plain(_ text: String) -> String { text.filter { $0 != "`" } }

    private static func pad(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.utf8.count))
    }
}
