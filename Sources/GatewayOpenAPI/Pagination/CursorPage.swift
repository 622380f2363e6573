/// One page of a list, which says where the next one starts: generated models conform.
public protocol CursorPage: Sendable {
    /// What the list is of.
    associatedtype Item: Sendable
    /// The page's own items.
    var pageItems: [Item] { get }
    /// Where the next page starts; `nil` or empty on the last page.
    var pageCursor: String? { get }
}
