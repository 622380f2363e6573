public import FoundationEssentials

/// One page of a list, which says where the next one starts: generated models conform.
///
/// What a page does not tell is `nil`: it says so by default.
public protocol CursorPage: Sendable {
    /// What the list is of.
    associatedtype Item: Sendable
    /// The page's own items.
    var pageItems: [Item] { get }
    /// Where the next page starts, a cursor or a URL; `nil` or empty on the last page.
    var pageCursor: String? { get }
    /// Whether there are more pages.
    var pageHasMore: Bool? { get }
    /// How many items all pages have.
    var pageTotal: Int? { get }
    /// How many pages there are.
    var pageCount: Int? { get }
}

extension CursorPage {
    /// Where the next page starts: not told.
    public var pageCursor: String? { nil }
    /// Whether there are more pages: not told.
    public var pageHasMore: Bool? { nil }
    /// How many items all pages have: not told.
    public var pageTotal: Int? { nil }
    /// How many pages there are: not told.
    public var pageCount: Int? { nil }
}

extension URL {
    /// The URL of the next page, as the page has it.
    @_spi(Generated) public var pageCursor: String { absoluteString }
}

extension Int {
    /// The number that asks for the next page.
    @_spi(Generated) public var pageCursor: String { description }
}
