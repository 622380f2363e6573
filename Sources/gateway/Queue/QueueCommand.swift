import CommandArguments
import GatewayClient
import GatewayLibC
import GatewayOfflineQueue

/// `gateway queue`: shows and changes the entries of an offline queue. Engines may use the file at the same time; they
/// notice what was changed.
@MainActor
struct QueueCommand {
    private let arguments: QueueArguments
    private let path: String
    private let store: SQLiteQueueStore
    private let now: QueueTime

    /// The number of entries that are cancelled by one transaction, so that engines do not wait long.
    private static let batch = 500

    init(_ arguments: QueueArguments) throws {
        self.arguments = arguments
        path = try arguments.file ?? Self.defaultPath()
        store = SQLiteQueueStore(path: path)
        now = QueueTime(SystemClock())
    }

    /// Runs the action.
    ///
    /// - Returns: the exit status; 1 if an entry does not exist or was not changed.
    func run() async throws -> Int32 {
        do throws(QueueError) { try QueueFileReader.check(path) } catch { throw failure(error) }
        defer { store.close() }
        do {
            switch arguments.action {
            case .list: return try list()
            case .show: return try show()
            case .retry: return try retry()
            case .cancel: return try await cancel()
            case .export: return try export()
            case .clock: return try clock()
            }
        } catch let error as QueueError {
            throw failure(error)
        }
    }

    // MARK: Reading

    private func list() throws -> Int32 {
        let newest = try store.outlook().newest
        let rows = try entries().map { entry in
            QueueDescription(entry: entry, reason: try reason(of: entry, newest), now: now)
        }
        if arguments.printsJSON {
            let values = rows.map { JSONValue.object($0.members) }
            try printJSON(.object(["entries": .array(values), "counts": try counts()]))
        } else {
            try Console.print(QueueTableText.text(rows))
        }
        return ExitStatus.success
    }

    private func show() throws -> Int32 {
        guard let id = arguments.ids.first, let entry = try store.entries(QueueSelection(id)).first else {
            return complain(arguments.ids, "does not exist, or is damaged")
        }
        let description = QueueDescription(
            entry: entry, reason: try reason(of: entry, store.outlook().newest), now: now)
        if arguments.printsJSON {
            try printJSON(.object(description.members))
        } else {
            try Console.print(description.text)
        }
        return ExitStatus.success
    }

    private func export() throws -> Int32 {
        let entries = try entries()
        let reader = try QueueFileReader(path: path)
        var status = ExitStatus.success
        for entry in entries {
            try Task.checkCancellation()
            guard let record = try reader.record(of: entry.id, readsBody: arguments.exportsBodies) else {
                continue
            }
            if record.isBodyDamaged { status = complain([entry.id], "has a damaged body, which is left out") }
            let value = QueueExport.value(record, withBody: arguments.exportsBodies)
            try printJSON(value)
        }
        return status
    }

    private func clock() throws -> Int32 {
        if arguments.isReset { try store.lowerNewest(to: now) }
        let newest = try store.outlook().newest
        let lag = newest.map { max(.zero, $0.since(now)) } ?? .zero
        if arguments.printsJSON {
            try printJSON(
                .object([
                    "newest": newest.map { .number(JSONNumber($0.milliseconds)) } ?? .null,
                    "now": .number(JSONNumber(now.milliseconds)),
                ]))
        } else {
            let text = newest.flatMap { CalendarDate.text(Double($0.milliseconds) / 1_000) } ?? "-"
            try Console.print("newest time  \(text)\n")
            try Console.print(
                lag > .zero
                    ? "The clock is \(Timeline.text(lag)) behind it: entries that may have been sent wait.\n"
                    : "The clock is not behind it.\n")
        }
        return ExitStatus.success
    }

    // MARK: Changing

    private func retry() throws -> Int32 {
        var refused: [QueueEntry.ID] = []
        for id in arguments.ids {
            try Task.checkCancellation()
            if try !store.retry(id, now: now) { refused.append(id) }
        }
        let count = arguments.ids.count - refused.count
        if count > 0 { try Console.print("\(Self.count(count)) waiting to be sent again\n") }
        guard !refused.isEmpty else { return ExitStatus.success }
        return complain(
            refused,
            "cannot be retried now: only entries of accounts that are signed in which are postponed, ambiguous or poison, or "
                + "wait for the clock"
        )
    }

    private func cancel() async throws -> Int32 {
        if !arguments.ids.isEmpty {
            var selection = QueueSelection()
            selection.ids = Set(arguments.ids)
            let cancelled = Set(try store.cancel(selection, now: now))
            if !cancelled.isEmpty { try Console.print("\(Self.count(cancelled.count)) cancelled\n") }
            let refused = arguments.ids.filter { !cancelled.contains($0) }
            guard !refused.isEmpty else { return ExitStatus.success }
            return complain(refused, "cannot be cancelled: it is being sent, has ended or does not exist")
        }
        let meant = try entries().filter { !$0.state.isFinal && $0.state != .leased }.map(\.id)
        guard !meant.isEmpty else {
            try Console.print("no entries to cancel\n")
            return ExitStatus.success
        }
        guard try await isConfirmed(meant.count) else {
            try Console.print("nothing was cancelled\n")
            return ExitStatus.success
        }
        var cancelled = 0
        for start in stride(from: 0, to: meant.count, by: Self.batch) {
            try Task.checkCancellation()
            var selection = QueueSelection()
            selection.ids = Set(meant[start..<min(start + Self.batch, meant.count)])
            cancelled += try store.cancel(selection, now: now).count
            if meant.count > Self.batch, isatty(STDERR_FILENO) == 1 {
                Console.complain("\(cancelled) of \(meant.count) cancelled")
            }
        }
        try Console.print("\(Self.count(cancelled)) cancelled\n")
        return ExitStatus.success
    }

    private func isConfirmed(_ count: Int) async throws -> Bool {
        if arguments.isConfirmed { return true }
        guard isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1 else {
            throw UsageError(
                "\(Self.count(count)) would be cancelled; without a terminal this needs --yes",
                command: "queue")
        }
        Console.complain("cancel \(Self.count(count))? They are never sent. Type yes:")
        let answer = String(decoding: try await StandardInput().read(), as: UTF8.self)
        return answer.split(whereSeparator: \.isWhitespace) == ["yes"]
    }

    // MARK: Parts

    /// The entries that the options select.
    private func entries() throws(QueueError) -> [QueueEntry] {
        var selection = arguments.selection
        if let age = arguments.age { selection.createdBefore = now.adding(.zero - age) }
        return try store.entries(selection)
    }

    /// Why an entry is not sent, as far as the file says it.
    private func reason(
        of entry: QueueEntry, _ newest: QueueTime?
    ) throws(QueueError) -> QueueWaitReason {
        switch entry.state {
        case .leased: return .sending
        case .parked: return .signIn
        case .ambiguous: return .ambiguous
        case .poison: return .poison
        case .waiting, .postponed:
            if let other = try store.predecessor(of: entry.id) { return .order(behind: other) }
            if entry.state == .postponed, let time = entry.notBefore, time > now {
                return entry.isUnreadable ? .unreadable(until: time) : .backoff(until: time)
            }
            if let newest, entry.waitsForClock(newest, now: now) { return .clock(behind: newest.since(now)) }
            return .turn
        default: return .ended(entry.state)
        }
    }

    private func counts() throws(QueueError) -> JSONValue {
        let counts = try store.counts().map { ($0.key.name, JSONValue.number(JSONNumber($0.value))) }
        return .object(Dictionary(counts) { first, _ in first })
    }

    private func printJSON(_ value: JSONValue) throws {
        try Console.print(Console.escapingJSON(String(decoding: try value.jsonBytes(), as: UTF8.self)) + "\n")
    }

    private func complain(_ ids: [QueueEntry.ID], _ text: String) -> Int32 {
        let names = ids.map(\.description).joined(separator: ", ")
        Console.complain((ids.count == 1 ? "entry " : "entries ") + names + ": " + text)
        return ExitStatus.refused
    }

    private func failure(_ error: QueueError) -> CommandFailure {
        switch error.code {
        case .notFound, .invalid, .unsupportedVersion:
            CommandFailure(ExitStatus.usage, "\(path): \(error.message)", "See: gateway queue --help")
        default: CommandFailure(ExitStatus.network, "\(path): \(error)")
        }
    }

    private static func count(_ count: Int) -> String { count == 1 ? "1 entry" : "\(count) entries" }

    /// The path that services use. Unlike them, the command makes no directories.
    private static func defaultPath() throws(UsageError) -> String {
        do throws(QueueError) { return try SQLiteQueueStore.environmentLocation() } catch {
            throw UsageError(error.message, command: "queue")
        }
    }
}
