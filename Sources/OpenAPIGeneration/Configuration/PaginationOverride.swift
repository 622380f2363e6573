/// How the pages of one operation follow one another, where the document does not tell or tells it wrong.
package enum PaginationOverride: Hashable, Sendable {
    /// The operation has no pages.
    case off
    /// It has, in this way.
    case pages(Pages)

    /// What tells of the next page; what is `nil` is inferred.
    package struct Pages: Hashable, Sendable {
        var kind: Kind?
        /// The parameter of the next call, or the way to a property of its JSON body.
        var parameter: String?
        /// The way to the items of a page.
        var items: String?
        /// The way to what says where the next page is.
        var next: String?
    }

    /// The ways in which pages follow one another.
    package enum Kind: String, CaseIterable, Sendable {
        case cursor, offset, page, url, link
    }

    static let keys = ["kind", "parameter", "items", "next"]
}
