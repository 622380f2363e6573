public import FoundationEssentials

/// One page of a list, and where the next page starts. Generated models conform.
///
/// Defaults: `nil`, not known. The requirements have an underscore so that no property of a model has the same name.
public protocol CursorPage: Sendable {
    /// The type of the items.
    associatedtype _Item: Sendable
    /// The items of the page.
    var _pageItems: [_Item] { get }
    /// The cursor or URL of the next page; `nil` or empty on the last page.
    var _pageCursor: String? { get }
    /// Whether there are more pages.
    var _pageHasMore: Bool? { get }
    /// The number of items of all pages.
    var _pageTotal: Int? { get }
    /// The number of pages.
    var _pageCount: Int? { get }
}

extension CursorPage {
    /// The cursor or URL of the next page: not known.
    public var _pageCursor: String? { nil }
    /// Whether there are more pages: not known.
    public var _pageHasMore: Bool? { nil }
    /// The number of items of all pages: not known.
    public var _pageTotal: Int? { nil }
    /// The number of pages: not known.
    public var _pageCount: Int? { nil }
}

extension URL {
    /// The URL of the next page, as text.
    @_spi(Generated) public var pageCursor: String { absoluteString }
}

extension Int {
    /// The number of the next page, as text.
    @_spi(Generated) public var pageCursor: String { description }
}
