/// The configured pagination of one operation, if it cannot be inferred or is inferred incorrectly.
package enum PaginationOverride: Hashable, Sendable {
    /// The operation has no pages.
    case off
    /// The operation has pages.
    case pages(Pages)

    /// The parts of the pagination. `nil`: inferred.
    package struct Pages: Hashable, Sendable {
        var kind: Kind?
        /// The parameter of the next call, or the path of a property of its JSON body.
        var parameter: String?
        /// The path of the items of a page.
        var items: String?
        /// The path of the reference to the next page.
        var next: String?
    }

    /// The kinds of pagination.
    package enum Kind: String, CaseIterable, Sendable {
        case cursor, offset, page, url, link
    }

    /// The pagination that a valid value of a configuration describes: `false`, or an object.
    init(_ node: Node) {
        guard node.object != nil else {
            self = .off
            return
        }
        self = .pages(
            Pages(
                kind: node["kind"]?.string.flatMap { Kind(rawValue: $0) },
                parameter: node["parameter"]?.string,
                items: node["items"]?.string, next: node["next"]?.string))
    }

    static let keys = ["kind", "parameter", "items", "next"]
}
