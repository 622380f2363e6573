/// How the pages of one operation follow one another, where the document does not tell or tells it wrong.
package enum PaginationOverride: Hashable, Sendable {
    /// The operation has no pages.
    case off
    /// The value of a property of each page is the parameter of the next call.
    case cursor(parameter: String?, items: String?, next: String?)

    static let keys = ["parameter", "items", "next"]
}
