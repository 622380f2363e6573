/// Whether those who rely on the old document are hurt.
package enum Verdict: String, Sendable, Comparable {
    case compatible, breaking

    package static func < (lhs: Verdict, rhs: Verdict) -> Bool {
        lhs == .compatible && rhs == .breaking
    }
}

/// One difference between two documents, judged from three sides.
package struct Change: Sendable {
    /// What kind of difference it is. A name once given stays.
    package let rule: String
    /// Where: a JSON pointer into the new document, or into the old one for what is gone.
    package let place: String
    /// What is different, in one line.
    package let message: String
    /// Whether a request that an old client makes is refused, or no longer does what it says.
    package var request: Verdict
    /// Whether an old client cannot read an answer.
    package var response: Verdict
    /// Whether code that uses the old client no longer compiles with the new one.
    package var swift: Verdict
    /// Where in its document, counted as `place` is.
    package let position: SourcePosition?
    /// Whether `position` is in the old document.
    package let isInOld: Bool

    /// Whether any side breaks.
    package var isBreaking: Bool { max(request, response, swift) == .breaking }
}

/// The side that a schema is used on.
enum DiffSide: Hashable, CaseIterable {
    /// What the client sends: it must not become narrower.
    case request
    /// What the client reads: it must not become wider.
    case response
    /// What is a type only.
    case source
}

/// Gathers changes; one that is met from several sides is one.
final class ChangeList {
    private var known: [String: Int] = [:]
    private(set) var changes: [Change] = []

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

    /// By place, then by rule: the order of keys does not show.
    var sorted: [Change] {
        changes.sorted { ($0.place, $0.rule, $0.message) < ($1.place, $1.rule, $1.message) }
    }
}

/// Where a change is.
struct DiffPlace {
    let text: String
    let position: SourcePosition?
    let isInOld: Bool

    static func old(_ pointer: JSONPointer, _ node: Node?) -> DiffPlace {
        DiffPlace(text: pointer.text, position: node?.position, isInOld: true)
    }

    static func new(_ pointer: JSONPointer, _ node: Node?) -> DiffPlace {
        DiffPlace(text: pointer.text, position: node?.position, isInOld: false)
    }
}
