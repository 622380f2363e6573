import CommandArguments
import GatewayClient
import GatewayOfflineQueue
import GatewaySuggestions

/// The command line of `gateway queue`.
struct QueueArguments {
    enum Action: String, CaseIterable {
        case list, show, retry, cancel, export, clock
    }

    let action: Action
    /// The entries that are named.
    let ids: [QueueEntry.ID]
    /// The path of the file; `nil` for the default.
    let file: String?
    /// Which entries the options select.
    let selection: QueueSelection
    /// How long ago the selected entries were enqueued at least.
    let age: Duration?
    let printsJSON: Bool
    let exportsBodies: Bool
    let isConfirmed: Bool
    /// Whether the newest time is lowered to that of the clock.
    let isReset: Bool

    init(_ arguments: ParsedArguments) throws(UsageError) {
        action = try Self.action(arguments)
        try Self.checkOptions(arguments, action)
        ids = try Self.ids(arguments)
        file = arguments.value("--file")
        age = try Self.age(arguments)
        printsJSON = arguments.has("--json")
        exportsBodies = arguments.has("--bodies")
        isConfirmed = arguments.has("--yes")
        isReset = arguments.has("--reset")
        var selection = QueueSelection()
        selection.deduplicationKey = arguments.value("--key")
        selection.account = arguments.value("--account").map { QueueAccount($0) }
        selection.states = try Self.states(arguments)
        selection.limit = try arguments.number("--limit", in: 1...Int.max)
        self.selection = selection
        switch action {
        case .list, .export, .clock:
            if let id = ids.first { throw arguments.error("unexpected argument \"\(id)\"") }
        case .show where ids.count != 1: throw arguments.error("show needs one ID")
        case .retry where ids.isEmpty: throw arguments.error("retry needs an ID")
        case .cancel:
            let names = Self.filters.filter { arguments.has($0) }
            if ids.isEmpty, names.isEmpty {
                throw arguments.error(
                    "cancel needs an ID, or --older-than, --key, --account, --state or --all")
            }
            if !ids.isEmpty, let name = names.first {
                throw arguments.error("IDs and \(name) cannot be combined")
            }
            if names.contains("--all"), names.count > 1 {
                throw arguments.error("--all and \(names[0]) cannot be combined")
            }
        default: break
        }
    }

    private static let filters = ["--older-than", "--key", "--account", "--state", "--all"]

    /// The options that each action has.
    private static func options(_ action: Action) -> [String] {
        let selecting = ["--older-than", "--key", "--account", "--state"]
        return switch action {
        case .list: selecting + ["--limit", "--json"]
        case .show: ["--json"]
        case .retry: []
        case .cancel: selecting + ["--all", "--yes"]
        case .export: selecting + ["--limit", "--bodies"]
        case .clock: ["--reset", "--json"]
        }
    }

    private static func checkOptions(
        _ arguments: ParsedArguments, _ action: Action
    ) throws(UsageError) {
        let known = options(action) + ["--file"]
        for option in Commands.queue.options where arguments.has(option.name) {
            guard known.contains(option.name) else {
                throw arguments.error("\(action.rawValue) has no option \(option.name)")
            }
        }
    }

    private static func action(_ arguments: ParsedArguments) throws(UsageError) -> Action {
        let known = Action.allCases.map(\.rawValue)
        guard let word = arguments.positional.first else {
            throw arguments.error("no action was given: list, show, retry, cancel, export or clock")
        }
        guard let action = Action(rawValue: word) else {
            throw arguments.error("unknown action \"\(word)\"" + Suggestion.text(word, of: known))
        }
        return action
    }

    private static func ids(_ arguments: ParsedArguments) throws(UsageError) -> [QueueEntry.ID] {
        var ids: [QueueEntry.ID] = []
        for text in arguments.positional.dropFirst() {
            guard let number = Int64(text), number > 0 else {
                throw arguments.error("an ID must be a whole number from 1: \"\(text)\"")
            }
            if !ids.contains(QueueEntry.ID(number)) { ids.append(QueueEntry.ID(number)) }
        }
        return ids
    }

    private static func states(_ arguments: ParsedArguments) throws(UsageError) -> Set<QueueEntry.State>? {
        let states = try arguments.choices("--state", of: QueueEntry.State.all, named: \.name)
        return states.isEmpty ? nil : Set(states)
    }

    private static func age(_ arguments: ParsedArguments) throws(UsageError) -> Duration? {
        guard let text = arguments.value("--older-than") else { return nil }
        if text.hasSuffix("d"), let days = Int64(text.dropLast()), (1...3_650).contains(days) {
            return .seconds(days * 86_400)
        }
        guard let age = DurationText.parse(text) else {
            throw arguments.error("--older-than must be a time such as 30m, 12h or 7d")
        }
        return age
    }
}
