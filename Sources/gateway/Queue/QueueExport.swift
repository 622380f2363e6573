import GatewayClient
import GatewayOfflineQueue

/// An entry with all that is needed to send it by other means. It has no credentials, as the file has none.
enum QueueExport {
    /// The members of an entry. Times are in milliseconds since 1970, the repeat window in milliseconds.
    ///
    /// - Parameter withBody: whether the body was read, and is a member `body` in base64.
    static func value(_ record: QueueRecord, withBody: Bool) -> JSONValue {
        let (entry, item) = (record.entry, record.item)
        let fields = item.fields.map { JSONValue.array([.string($0.name.rawName), .string($0.value)]) }
        var members: [String: JSONValue] = [
            "id": number(entry.id.rawValue), "state": .string(entry.state.name),
            "method": .string("\(item.method)"), "url": .string("\(item.origin)\(item.target)"),
            "fields": .array(fields), "body_bytes": number(Int64(entry.bodyBytes)),
            "idempotency_key": .string(item.idempotencyKey),
            "deduplication_key": text(item.deduplicationKey), "supersedes": .bool(item.supersedes),
            "ordering_key": text(item.orderingKey), "account": text(entry.account?.name),
            "priority": .string("\(item.priority)"), "created": number(item.created.milliseconds),
            "expires": number(entry.expires.milliseconds),
            "repeat_window": number(Int64(item.repeatWindow / .milliseconds(1))),
            "attempts": number(Int64(entry.attempts)),
            "first_sent": entry.firstSent.map { number($0.milliseconds) } ?? .null,
            "reason": text(entry.reason),
        ]
        if withBody {
            members["body"] = record.isBodyDamaged ? .null : .string(Base64.encode(item.body))
        }
        return .object(members)
    }

    private static func number(_ value: Int64) -> JSONValue { .number(JSONNumber(value)) }

    private static func text(_ value: String?) -> JSONValue { value.map { .string($0) } ?? .null }
}
