/// Names that are settled before any is derived: those of `openapi.lock`, and the configuration's.
///
/// A key is a JSON pointer. A schema's is where its type is declared, and its name is qualified within the
/// namespace (`Order.Status`). An operation's own place gives the word that its types are named by; the place of
/// its `operationId`, its method; `responses`, `responses/2XX` and `responses/2XX/headers`, the types of its
/// failures, successes and headers. What is no type or method has a word before its place: `property`, `case`, `argument`, `tag` for
/// the type of a tag's operations, `resource` for the client's property that has them.
struct NameLock: Sendable {
    /// What `openapi.lock` says.
    let locked: [String: String]
    /// What the configuration says; it wins. Not qualified.
    let chosen: [String: String]
    /// The places of locked types by the type around them, the empty name for none.
    private let byOwner: [String: [String]]
    /// Whether any property or case is locked.
    let hasMembers: Bool

    init(locked: [String: String] = [:], chosen: [String: String] = [:]) {
        self.locked = locked
        self.chosen = chosen
        var byOwner: [String: [String]] = [:]
        for (place, name) in locked where place.hasPrefix("#") && !Self.isOperation(place) {
            let outer = name.lastIndex(of: ".").map { String(name[..<$0]) } ?? ""
            byOwner[outer, default: []].append(place)
        }
        self.byOwner = byOwner
        hasMembers = locked.contains { Self.isGrouped($0.key) }
    }

    /// Where the names of what is no schema stand: nothing that a place in the document can be.
    enum Place {
        static func property(_ name: String, of type: JSONPointer) -> String {
            "property " + type.appending("properties").appending(name).text
        }
        static func additionalProperties(of type: JSONPointer) -> String {
            "property " + type.appending("additionalProperties").text
        }
        static func enumCase(_ value: String, of type: JSONPointer) -> String {
            "case " + type.appending("enum").appending(value).text
        }
        static func unionCase(_ branch: JSONPointer, of type: JSONPointer) -> String {
            "case " + type.appending("oneOf").appending(branch.text).text
        }
        static func event(_ event: Event, of set: EventSet) -> String {
            "case " + set.place + "/" + JSONPointer(tokens: [event.name]).text.dropFirst(2)
        }
        static func argument(_ parameter: Parameter, of operation: JSONPointer) -> String {
            "argument " + operation.appending(parameter.location.rawValue).appending(parameter.name).text
        }
        static func tag(_ tag: String) -> String { "tag " + tag }
        static func resource(_ tag: String) -> String { "resource " + tag }

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
        for place in byOwner[owner ?? ""] ?? [] { result[place] = self[place] }
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

    /// Whether a place is one of many in a type, which the file has in one line.
    static func isGrouped(_ place: String) -> Bool {
        ["property ", "case ", "argument "].contains { place.hasPrefix($0) }
    }

    /// Whether a place is that of a member: its name may be a keyword, which is escaped where it is declared.
    static func isMember(_ place: String) -> Bool {
        place.hasSuffix("/operationId")
            || isGrouped(place) || place.hasPrefix("resource ")
    }
}
