import CommandArguments

/// The commands of `gateway`.
enum Commands {
    typealias Action = @MainActor @Sendable (ParsedArguments) async throws -> Int32
    typealias Command = CommandSpec<Action>

    static let program: ProgramSpec<Action> = {
        // In the order of the help.
        var program = ProgramSpec(
            name: "gateway",
            commands: [call, token, login, logout, status, queue, watch, completion, helpTopics],
            help: { HelpText.tool })
        program.version = "gateway \(Version.text)\n"
        program.topics = ["environment": { HelpText.environment }]
        program.refusal = { option in
            credentialOptions.contains(option)
                ? "credentials are not accepted on the command line, which every process can read: "
                    + "set variables, see gateway help environment" : nil
        }
        return program
    }()

    /// What other commands take there.
    private static let credentialOptions: Set<String> = [
        "--token", "--bearer", "--oauth2-bearer", "--secret", "--client-secret", "--client-id", "--user",
        "-u", "--password",
    ]
}

extension Commands {
    static let call = Command(
        name: "call", arguments: "METHOD URL [options]", limit: 2,
        summary: "makes a call and prints the body of the response",
        details: [
            "A URL that begins with / is relative to GATEWAY_BASE_URL. The credential that the variables describe",
            "is sent to the origins that they name, and to no other. The body is printed as it arrives; with",
            "--verbose a timeline is printed to standard error. Content is sent as application/json unless a",
            "header field says otherwise.",
            "",
            "The call continues the trace in TRACEPARENT, TRACESTATE and BAGGAGE. If OTEL_EXPORTER_OTLP_ENDPOINT",
            "names a collector, trace, metrics and log of the call are sent to it after the body, for 3 s at most.",
        ],
        options: [
            OptionSpec(
                "--cache", nil, .text("MODE"),
                help: "How stored responses are used, here (GATEWAY_CACHE) and on the way: default,",
                "no-store, reload, no-cache, force-cache, only-if-cached or network-first."),
            OptionSpec("--data", "-d", .text("TEXT"), help: "Sends this text."),
            OptionSpec(
                "--data-file", nil, .file("FILE"),
                help: "Sends a file; - for standard input. Standard input of more than",
                "1 MiB cannot be sent again after a failure."),
            OptionSpec(
                "--header", "-H", .text("FIELD"), repeats: true,
                help: "Adds a header field, as \"Name: value\". No credentials: every process",
                "can read the command line."),
            OptionSpec(
                "--header-file", nil, .file("FILE"),
                help: "Adds the header fields in a file, one a line; they may be secret."),
            OptionSpec(
                "--idempotency-key", nil, .text("KEY"),
                help: "Allows a POST to be sent again: the server recognizes it by this key."),
            OptionSpec(
                "--explain", nil,
                help: "Prints to standard error which layer decided what: the options in effect",
                "and where each comes from, attempts, retries, redirects, connections."),
            OptionSpec(
                "--fallback-file", nil, .file("FILE"),
                help: "Uses this file as the body if the service is unavailable: after all",
                "retries there is no response, or one with status 502, 503 or 504."),
            OptionSpec("--include", "-i", help: "Prints status and header fields before the body."),
            OptionSpec(
                "--output", "-o", .file("FILE"),
                help: "Writes the body to a file when it is complete. With a status of 400",
                "or more it is printed instead."),
            OptionSpec(
                "--retries", nil, .text("N"), help: "Sends again N times at most, instead of GATEWAY_RETRIES."
            ),
            OptionSpec(
                "--timeout", "-t", .text("TIME"),
                help: "Ends the call after this time, such as 500ms, 10s or 2m, instead of",
                "GATEWAY_DEADLINE."),
            OptionSpec(
                "--verbose", "-v", help: "Prints a timeline to standard error, without secrets."),
        ],
        words: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"],
        examples: [
            "gateway call GET https://api.example.com/books",
            "gateway call POST /books --data '{\"title\": \"Emma\"}' --verbose",
            "jq .book order.json | gateway call PUT /books/bk-1 --data-file -",
            "gateway call GET /covers/bk-1 --output cover.jpg --timeout 2m",
            "gateway call GET /books --explain 2>&1 >/dev/null | grep retry",
        ],
        action: { try await CallCommand(CallArguments($0)).run() })

    static let token = Command(
        name: "token", arguments: "[options]",
        summary: "shows the content of the access token, and how long it is valid",
        details: [
            "Gets the token that calls would use and prints its header, its claims and the time left. The token",
            "itself is printed with --raw only. Its signature is not verified. No GATEWAY_BASE_URL is needed.",
        ],
        options: [
            OptionSpec(
                "--file", "-f", .file("FILE"),
                help: "Reads a token from a file instead of getting one; - for standard",
                "input."),
            OptionSpec("--json", nil, help: "Prints one JSON object."),
            OptionSpec("--raw", nil, help: "Prints the token and nothing else."),
            OptionSpec("--verbose", "-v", help: "Prints a timeline to standard error."),
        ],
        examples: [
            "gateway token",
            "gateway token --json | jq .claims.exp",
            "gateway token --file /run/secrets/token",
        ],
        action: { try await TokenCommand($0).run() })

    static let login = Command(
        name: "login", arguments: "[options]",
        summary: "signs in a person by a browser, and stores the tokens",
        details: [
            "With GATEWAY_GRANT=authorization_code, opens a page of the authorization server in a browser on this",
            "machine and waits until the browser returns to GATEWAY_REDIRECT_URI (RFC 8252). With",
            "GATEWAY_GRANT=device_code, shows an address and a code for a browser on any device (RFC 8628). The",
            "tokens are stored in GATEWAY_TOKEN_STORE, where calls find them.",
            "",
            "Required: GATEWAY_CLIENT_ID, GATEWAY_TOKEN_STORE, and GATEWAY_ISSUER or the endpoints:",
            "GATEWAY_TOKEN_URL and GATEWAY_AUTHORIZATION_URL or GATEWAY_DEVICE_URL. No API is called.",
        ],
        options: [
            OptionSpec("--browser", nil, help: "Uses a browser on this machine, instead of GATEWAY_GRANT."),
            OptionSpec("--device", nil, help: "Uses another device, instead of GATEWAY_GRANT."),
            OptionSpec(
                "--no-open", nil,
                help: "Prints the URL and opens no browser. Without a display or xdg-open none",
                "is opened either."),
            OptionSpec(
                "--timeout", "-t", .text("TIME"),
                help: "Gives up after this time, such as 2m. Default: 10m for a browser; for",
                "another device, when the code expires."),
        ],
        examples: [
            "gateway login", "gateway login --device",
            "gateway login --timeout 2m && gateway call GET /books",
        ],
        action: { try await LoginCommand($0).run() })

    static let logout = Command(
        name: "logout", arguments: "[options]",
        summary: "signs out: deletes the tokens of a login and revokes them",
        details: [
            "Deletes the tokens of gateway login in GATEWAY_TOKEN_STORE, and revokes them at the server (RFC 7009)",
            "if its revocation endpoint is known, from GATEWAY_ISSUER or GATEWAY_REVOCATION_URL. If the server",
            "cannot be reached the tokens are deleted all the same, and the status is 3 or 4.",
        ],
        options: [
            OptionSpec(
                "--timeout", "-t", .text("TIME"),
                help: "Gives up the revocation after this time. Default: 30s.")
        ],
        examples: ["gateway logout"],
        action: { try await LogoutCommand($0).run() })

    static let status = Command(
        name: "status", arguments: "[options]",
        summary: "shows whether this machine has a network",
        details: [
            "Reads the links, addresses and routes of this machine. No call is made, and no variable is needed.",
            "With --origin it connects to these origins, too, and requests a path of each without a credential:",
            "it shows if none can be reached, if a sign-in page answers in their place, and if the TLS handshake",
            "with one fails, and why. With --watch it also shows if secure connections begin to fail, which may",
            "be an interception. The exit status is 4 if there is no network, or one of these.",
        ],
        options: [
            OptionSpec(
                "--origin", nil, .text("URL"), repeats: true,
                help: "Checks whether this origin can be reached, such as https://api.example.com.",
                "No other host is connected to. Origins on this machine are not checked."),
            OptionSpec(
                "--path", nil, .text("PATH"),
                help: "Requests this path of each origin. The origin must not redirect it to",
                "another host. Default: /"),
            OptionSpec(
                "--watch", "-w", help: "Prints a line for each change that lasts, until it is interrupted."),
            OptionSpec(
                "--interval", nil, .text("TIME"),
                help: "Checks the origins so often with --watch. Default: 30s."),
        ],
        examples: [
            "gateway status", "gateway status --watch",
            "gateway status --origin https://api.example.com --path /health",
        ],
        action: {
            var command = try StatusCommand($0)
            return try await command.run()
        })

    static let completion = Command(
        name: "completion", arguments: "bash|zsh", limit: 1,
        summary: "prints a script that completes this command",
        details: [], options: [], words: ["bash", "zsh"],
        examples: [
            "source <(gateway completion bash)",
            "gateway completion zsh > ~/.zfunc/_gateway",
        ],
        action: { arguments in
            switch arguments.positional.first {
            case "bash"?: try Console.print(CompletionScript.bash)
            case "zsh"?: try Console.print(CompletionScript.zsh)
            case let shell?:
                throw arguments.error("shell \"\(shell)\" is not supported: use bash or zsh")
            case nil: throw arguments.error("no shell was given: bash or zsh")
            }
            return ExitStatus.success
        })

    static let helpTopics = Command(
        name: "help", arguments: "[TOPIC]", limit: nil,
        summary: "shows help; the topic environment lists the variables",
        details: [], options: [],
        words: ["call", "token", "login", "logout", "status", "queue", "watch", "completion", "environment"],
        examples: ["gateway help environment"],
        action: { arguments in
            try Console.print(program.help(on: arguments.positional))
            return ExitStatus.success
        })
}
