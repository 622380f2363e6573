extension Node {
    /// The value as compact JSON, for messages.
    var literal: String {
        switch value {
        case .null: "null"
        case .bool(let flag): String(flag)
        case .number(let text): text
        case .string(let text): JSONText.quoted(text)
        case .array(let items): "[" + items.map(\.literal).joined(separator: ", ") + "]"
        case .object(let object):
            "{"
                + object.members.sorted { $0.key < $1.key }
                .map { JSONText.quoted($0.key) + ": " + $0.value.literal }.joined(separator: ", ") + "}"
        }
    }
}
