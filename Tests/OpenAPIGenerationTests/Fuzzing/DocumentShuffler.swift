@testable import OpenAPIGeneration

/// Writes a tree as JSON, the keys of each object in another order each time.
struct DocumentShuffler<Source: RandomNumberGenerator> {
    var source: Source

    mutating func json(_ node: Node) -> String {
        switch node.value {
        case .null: return "null"
        case .bool(let flag): return String(flag)
        case .number(let text): return text
        case .string(let text): return JSONText.quoted(text)
        case .array(let items):
            var parts: [String] = []
            for item in items { parts.append(json(item)) }
            return "[" + parts.joined(separator: ",") + "]"
        case .object(let object):
            var parts: [String] = []
            for member in object.members.shuffled(using: &source) {
                parts.append(JSONText.quoted(member.key) + ":" + json(member.value))
            }
            return "{" + parts.joined(separator: ",") + "}"
        }
    }
}
