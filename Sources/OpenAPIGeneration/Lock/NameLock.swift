/// Fixed names: those of `openapi.lock` and of the configuration.
///
/// A key is a JSON Pointer:
/// - A schema: the name of its type, qualified within the namespace (`Order.Status`).
/// - An operation: the prefix of its types. Its `operationId`: its method. Its `responses`, `responses/2XX` and
///   `responses/2XX/headers`: the types of its failures, successes and header fields.
///
/// Other names have a word before the pointer: `property`, `case` (also the cases of responses, by media type),
/// `argument`, `pages` (the method for all pages), `stream` (the method for a stream), `tag` (the type of a tag's
/// operations) and `resource` (the client's property for them). `failures` is
/// followed by the statuses, bodies and headers of failures that several operations share.
struct NameLock: Sendable {
    /// The names of `openapi.lock`.
    let locked: [ExactText: String]
    /// The names of the configuration, which take precedence. Not qualified.
    let chosen: [ExactText: String]
    /// The pointers of locked types by enclosing type. Empty name: no enclosing type.
    private let byOwner: [String: [String]]
    /// Whether any property or case is locked.
    let hasMembers: Bool

    init(locked: [ExactText: String] = [:], chosen: [ExactText: String] = [:]) {
        self.locked = locked
        self.chosen = chosen
        var byOwner = [String: [String]]()
        for (place, name) in locked.map({ ($0.key.text, $0.value) })
        where place.hasPrefix("failures ") || (place.hasPrefix("#") && !Self.isOperation(place)) {
            let outer = name.lastIndex(of: ".").map { String(name[..<$0]) } ?? ""
            byOwner[outer, default: []].append(place)
        }
        self.byOwner = byOwner
        hasMembers = locked.contains { Self.isGrouped($0.key.text) }
    }

    /// Keys of names that are not schemas. They are not valid pointers into a document.
    enum Place {
        static func property(_ name: String, of type: JSONPointer) -> String {
            "property " + type.appending("properties").appending(name).text
        }
        static func partHeader(_ header: String, _ property: String, of type: JSONPointer) -> String {
            let part = type.appending("properties").appending(property)
            return "property " + part.appending("headers").appending(header).text
        }
        static func patternProperties(_ pattern: String, of type: JSONPointer) -> String {
            "property " + type.appending("patternProperties").appending(pattern).text
        }
        static func additionalProperties(of type: JSONPointer) -> String {
            "property " + type.appending("additionalProperties").text
        }
        static func unknownProperties(of type: JSONPointer) -> String {
            "property " + type.appending("unknownProperties").text
        }
        static func enumCase(_ value: String, of type: JSONPointer) -> String {
            "case " + type.appending("enum").appending(value).text
        }
        static func unionCase(_ branch: JSONPointer, of type: JSONPointer) -> String {
            "case " + type.appending("oneOf").appending(branch.text).text
        }
        /// The case of a response that has a media type.
        static func response(
            _ mediaType: String, _ status: Response.Status, of operation: JSONPointer
        ) -> String {
            "case " + operation.appending("responses").appending(status.text).appending(mediaType).text
        }
        /// The argument that requests a media type.
        static func accept(of operation: JSONPointer) -> String {
            "argument " + operation.appending("accept").text
        }
        /// The case for a media type that can be requested.
        static func accept(_ mediaType: String, of operation: JSONPointer) -> String {
            "case " + operation.appending("accept").appending(mediaType).text
        }
        static func event(_ event: Event, of set: EventSet) -> String {
            "case " + set.place + "/" + JSONPointer(tokens: [event.name]).text.dropFirst(2)
        }
        static func argument(_ parameter: Parameter, of operation: JSONPointer) -> String {
            "argument " + operation.appending(parameter.location.rawValue).appending(parameter.name).text
        }
        static func tag(_ tag: String) -> String { "tag " + tag }
        static func resource(_ tag: String) -> String { "resource " + tag }

        /// The method for all pages.
        static func pages(_ operation: JSONPointer) -> String { "pages " + operation.text }
        /// The method for a stream, in addition to the method for the complete response.
        static func stream(_ operation: JSONPointer) -> String { "stream " + operation.text }

        static func method(_ operation: JSONPointer) -> String { operation.text + "/operationId" }
        static func failure(_ operation: JSONPointer) -> String { operation.text + "/responses" }
        /// A type that several operations share, by its content.
        static func sharedFailure(_ content: String) -> String { "failures " + content }
        static func success(_ operation: JSONPointer) -> String { operation.text + "/responses/2XX" }
        static func headers(_ operation: JSONPointer) -> String { operation.text + "/responses/2XX/headers" }
    }

    /// The fixed name of a pointer, if any, without its enclosing types.
    subscript(place: String) -> String? {
        chosen[place] ?? locked[place].map { $0.split(separator: ".").last.map { String($0) } ?? $0 }
    }

    /// The fixed names of types nested in `owner`, which is qualified within the namespace, or in the namespace itself.
    func types(in owner: String?) -> [ExactText: String] {
        var result = [ExactText: String]()
        for place in byOwner[owner ?? ""] ?? [] { result[place] = self[place] }
        for (place, name) in chosen where !Self.isOperation(place.text) { result[place] = name }
        return result
    }

    /// The fixed prefixes of operations.
    var operations: [ExactText: String] {
        locked.filter { Self.isOperation($0.key.text) && !$0.key.text.hasSuffix("/operationId") }
    }

    private static func isOperation(_ place: String) -> Bool {
        guard place.hasPrefix("#/paths/") else { return false }
        let steps = place.utf8.count { $0 == UInt8(ascii: "/") }
        return steps == 3 || (steps == 4 && place.hasSuffix("/operationId"))
    }

    /// Whether a key is a member of a type. The file has all members of a type on one line.
    static func isGrouped(_ place: String) -> Bool {
        ["property ", "case ", "argument "].contains { place.hasPrefix($0) }
    }

    /// Whether a key is a member. Its name may be a keyword, which is escaped in its declaration.
    static func isMember(_ place: String) -> Bool {
        place.hasSuffix("/operationId")
            || isGrouped(place)
            || ["resource ", "pages ", "stream "].contains { place.hasPrefix($0) }
    }
}
