import CommandArguments

extension Commands {
    static let watch = Command(
        name: "watch", arguments: "LINK [options]", limit: 1,
        summary: "shows the dashboard of a running program in a terminal",
        details: [
            "Shows what GatewayDashboard serves at the link that the program printed: rates, durations,",
            "failures, tokens and circuit breakers, each second. Without a terminal it prints a line for each",
            "second, and one for each change. No variable is needed. The link is a credential: - reads it from",
            "standard input, where no other process sees it. LINK may be the whole line that was printed.",
            "",
            "It says so if no frame comes for 4 s. A connection that is lost is made again: at a terminal until",
            "the command is interrupted, otherwise it gives up after 15 attempts. The exit status is 4 when the",
            "stream has ended or is not that of a dashboard, and 1 when it is refused.",
        ],
        options: [
            OptionSpec("--socket", nil, .file("PATH"), help: "Connects to this Unix domain socket.")
        ],
        examples: [
            "gateway watch http://127.0.0.1:8080/3f0c…/", "gateway watch - < link.txt",
            "gateway watch - < link.txt | grep critical",
        ],
        action: { try await WatchCommand($0).run() })
}
