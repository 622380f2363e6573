/// Names that are settled before any is derived: those of `openapi.lock`, and the configuration's.
///
/// A key is a JSON pointer. A schema's is where its type is declared, and its name is qualified within the
/// namespace (`Order.Status`). An operation's own place gives the word that its types are named by; the place of
/// its `operationId`, its method; `responses`, `responses/2XX` and `responses/2XX/headers`, the types of its
/// failures, successes and headers.
struct NameLock: Sendable {
    /// What `openapi.lock` says.
    var locked: [String: String] = [:]
    /// What the configuration says; it wins. Not qualified.
    var chosen: [String: String] = [:]

    /// What the names of types begin with: nothing but letters that the document cannot hold.
    enum Place {
        static func method(_ operation: JSONPointer) -> String { operation.text + "/operationId" }
        static func failure(_ operation: JSONPointer) -> String { operation.text + "/responses" }
        static func success(_ operation: JSONPointer) -> String { operation.text + "/responses/2XX" }
        static func headers(_ operation: JSONPointer) -> String { operation.text + "/responses/2XX/headers" }
    }

    /// A name for a place, where there is one: what follows the last dot.
    subscript(place: String) -> String? {
        chosen[place] ?? locked[place].map { $0.split(separator: ".").last.map { String($0) } ?? $0 }
    }

    /// The settled names of types inside `owner`, qualified within the namespace, or of the namespace itself.
    func types(in owner: String?) -> [String: String] {
        var result: [String: String] = [:]
        for (place, name) in locked where !Self.isOperation(place) {
            let outer = name.lastIndex(of: ".").map { String(name[..<$0]) }
            if outer == owner { result[place] = self[place] }
        }
        for (place, name) in chosen where !Self.isOperation(place) { result[place] = name }
        return result
    }

    /// The settled words of operations.
    var operations: [String: String] {
        locked.filter { Self.isOperation($0.key) && !$0.key.hasSuffix("/operationId") }
    }

    private static func isOperation(_ place: String) -> Bool {
        guard place.hasPrefix("#/paths/") else { return false }
        let steps = place.utf8.count { $0 == UInt8(ascii: "/") }
        return steps == 3 || (steps == 4 && place.hasSuffix("/operationId"))
    }
}
