import CommandArguments

extension Commands {
    static let queue = Command(
        name: "queue", arguments: "list | show ID | retry ID… | cancel [ID…] | export | clock [options]",
        limit: nil,
        summary: "shows and changes the entries of an offline queue",
        details: [
            "Reads the file of a queue, also while services use it. Bodies, queries and keys are never shown; only",
            "export prints them. A file that does not exist is not created.",
            "",
            "list    prints a table: what waits, since when and why. --key selects by deduplication key.",
            "show    prints one entry.",
            "retry   sends entries again that wait for a backoff, are ambiguous or poison. A server that does not know",
            "        their keys acts once more: check there first, also after a 303: it has mostly acted.",
            "cancel  cancels entries that are not being sent at this moment: those with these IDs, or all that the",
            "        options select, after a confirmation.",
            "export  prints one JSON object a line with all that is needed to send the entries by other means.",
            "clock   shows the newest time that the queue has seen. While the clock is behind it, entries that may",
            "        have been sent wait, and nothing expires. If it is wrong, --reset lowers it to that of the clock.",
        ],
        options: [
            OptionSpec("--account", nil, .text("NAME"), help: "Selects the entries of an account."),
            OptionSpec("--all", nil, help: "Selects all entries for cancel."),
            OptionSpec(
                "--bodies", nil, help: "Exports bodies, too, in base64. They may have personal data."),
            OptionSpec(
                "--file", "-f", .file("FILE"),
                help: "The file of the queue. Default: GATEWAY_QUEUE_FILE, or gateway/queue.sqlite in",
                "XDG_STATE_HOME or ~/.local/state."),
            OptionSpec("--json", nil, help: "Prints JSON: list, show and clock one object."),
            OptionSpec("--key", nil, .text("KEY"), help: "Selects the entries with a deduplication key."),
            OptionSpec("--limit", nil, .text("N"), help: "Lists or exports N entries at most, the oldest."),
            OptionSpec(
                "--older-than", nil, .text("TIME"),
                help: "Selects the entries that were enqueued so long ago, such as 30m, 12h or 7d."),
            OptionSpec("--reset", nil, help: "Lowers the newest time to that of the clock."),
            OptionSpec(
                "--state", nil, .text("STATE"), repeats: true,
                help: "Selects the entries in a state: waiting, postponed, leased, parked,",
                "ambiguous, poison, done, expired, cancelled, superseded or dropped."),
            OptionSpec("--yes", "-y", help: "Cancels without asking. Needed without a terminal."),
        ],
        words: ["list", "show", "retry", "cancel", "export", "clock"],
        examples: [
            "gateway queue list --state poison --state ambiguous",
            "gateway queue retry 17 18",
            "gateway queue cancel --older-than 12h --yes",
            "gateway queue export --bodies > entries.jsonl",
        ],
        action: { try await QueueCommand(QueueArguments($0)).run() })
}
