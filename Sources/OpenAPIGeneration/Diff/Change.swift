/// Whether a change breaks users of the old document.
package enum Verdict: String, Sendable, Comparable {
    case compatible, breaking

    package static func < (lhs: Verdict, rhs: Verdict) -> Bool {
        lhs == .compatible && rhs == .breaking
    }
}

/// One difference between two documents, with three verdicts.
package struct Change: Sendable {
    /// The kind of difference. Names are stable.
    package let rule: String
    /// The place: a JSON Pointer into the new document, or into the old one for a removal.
    package let place: String
    /// The description, in one line.
    package let message: String
    /// Whether a request of an old client is rejected or has a different effect.
    package var request: Verdict
    /// Whether an old client cannot decode a response.
    package var response: Verdict
    /// Whether code that uses the old client no longer compiles with the new one.
    package var swift: Verdict
    /// The position in the same document as `place`.
    package let position: SourcePosition?
    /// Whether `position` is in the old document.
    package let isInOld: Bool

    /// Whether any verdict is breaking.
    package var isBreaking: Bool { max(request, response, swift) == .breaking }
}

/// The direction in which a schema is used.
enum DiffSide: Hashable, CaseIterable {
    /// Sent by the client: must not accept fewer values.
    case request
    /// Read by the client: must not produce new kinds of values.
    case response
    /// Used only as a Swift type.
    case source
}

/// Collects changes and merges duplicates.
final class ChangeList {
    private var known = [String: Int]()
    private(set) var changes: [Change] = []

    @inline(never)
    func report(
        _ rule: String, _ place: DiffPlace, _ message: String, request: Bool = false, response: Bool = false,
        swift: Bool = false
    ) {
        func verdict(_ isBreaking: Bool) -> Verdict { isBreaking ? .breaking : .compatible }
        let key = rule + " " + place.text + " " + message
        if let index = known[key] {
            changes[index].request = max(changes[index].request, verdict(request))
            changes[index].response = max(changes[index].response, verdict(response))
            changes[index].swift = max(changes[index].swift, verdict(swift))
            return
        }
        known[key] = changes.count
        changes.append(
            Change(
                rule: rule, place: place.text, message: message, request: verdict(request),
                response: verdict(response), swift: verdict(swift), position: place.position,
                isInOld: place.isInOld))
    }

    /// Ordered by place, then by rule, independent of the order of keys in the document.
    var sorted: [Change] {
        changes.sorted { ($0.place, $0.rule, $0.message) < ($1.place, $1.rule, $1.message) }
    }
}

/// The place of a change.
struct DiffPlace {
    let text: String
    let position: SourcePosition?
    let isInOld: Bool

    static func old(_ pointer: JSONPointer, _ node: Node?) -> DiffPlace {
        DiffPlace(text: pointer.text, position: node?.position, isInOld: true)
    }

    static func old(_ part: RawSchema.Part) -> DiffPlace {
        DiffPlace(text: part.pointer.text, position: part.position, isInOld: true)
    }

    static func new(_ part: RawSchema.Part) -> DiffPlace {
        DiffPlace(text: part.pointer.text, position: part.position, isInOld: false)
    }

    static func new(_ pointer: JSONPointer, _ node: Node?) -> DiffPlace {
        DiffPlace(text: pointer.text, position: node?.position, isInOld: false)
    }
}
