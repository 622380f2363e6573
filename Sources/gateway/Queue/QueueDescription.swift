import GatewayClient
import GatewayOfflineQueue

/// What is shown of an entry: no body, no query, no header fields and no keys.
struct QueueDescription {
    let entry: QueueEntry
    let reason: QueueWaitReason
    let now: QueueTime

    var state: QueueEntry.State { entry.state }

    /// The cells of a row of the table.
    var cells: [String] {
        [
            "\(entry.id)", entry.state.name, age, "\(entry.attempts)", entry.reason ?? "-", request, waits,
        ].map(Console.printable)
    }

    /// For people, one property a line.
    var text: String {
        let lines: [(String, String?)] = [
            ("entry", "\(entry.id)"), ("state", entry.state.name), ("request", request),
            ("body", "\(entry.bodyBytes) bytes"), ("account", entry.account?.name),
            ("priority", "\(entry.priority)"), ("enqueued", time(entry.created).map { "\($0) (\(age) ago)" }),
            ("expires", time(entry.expires)), ("attempts", "\(entry.attempts)"),
            ("first sent", entry.firstSent.flatMap(time)), ("not before", entry.notBefore.flatMap(time)),
            ("reason", entry.reason), ("waits", waits),
        ]
        return lines.reduce(into: "") { text, line in
            guard let value = line.1 else { return }
            let space = String(repeating: " ", count: max(1, 12 - line.0.utf8.count))
            text += line.0 + space + Console.printable(value) + "\n"
        }
    }

    /// For machines. Times are in milliseconds since 1970.
    var members: [String: JSONValue] {
        [
            "id": number(entry.id.rawValue), "state": .string(entry.state.name),
            "method": .string("\(entry.method)"), "origin": .string("\(entry.origin)"),
            "path": .string(entry.path), "body_bytes": number(Int64(entry.bodyBytes)),
            "account": entry.account.map { .string($0.name) } ?? .null,
            "priority": .string("\(entry.priority)"), "created": number(entry.created.milliseconds),
            "expires": number(entry.expires.milliseconds), "attempts": number(Int64(entry.attempts)),
            "first_sent": entry.firstSent.map { number($0.milliseconds) } ?? .null,
            "not_before": entry.notBefore.map { number($0.milliseconds) } ?? .null,
            "reason": entry.reason.map { .string($0) } ?? .null, "waits": .string("\(reason)"),
        ]
    }

    private var request: String { "\(entry.method) \(entry.origin)\(entry.path)" }

    private var age: String { Timeline.text(max(.zero, now.since(entry.created))) }

    /// Why it waits, with the time that is left.
    private var waits: String {
        if case .backoff(let time) = reason {
            return "It is sent again in \(Timeline.text(max(.zero, time.since(now))))."
        }
        return "\(reason)"
    }

    private func time(_ time: QueueTime) -> String? { CalendarDate.text(Double(time.milliseconds) / 1_000) }

    private func number(_ value: Int64) -> JSONValue { .number(JSONNumber(value)) }
}
