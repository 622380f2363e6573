public import FoundationEssentials

/// One page of a list, with the position of the next page. Generated models conform.
///
/// All requirements but the items default to `nil`: not known. The names start with an underscore to avoid conflicts
/// with properties of a model.
public protocol CursorPage: Sendable {
    /// The type of the items.
    associatedtype _Item: Sendable
    /// The items of the page.
    var _pageItems: [_Item] { get }
    /// The cursor or URL of the next page; `nil` or empty on the last page.
    var _pageCursor: String? { get }
    /// Whether there are more pages; `nil` if not known.
    var _pageHasMore: Bool? { get }
    /// The number of items of all pages; `nil` if not known.
    var _pageTotal: Int? { get }
    /// The number of pages; `nil` if not known.
    var _pageCount: Int? { get }
}

extension CursorPage {
    /// Default: `nil`, no next page.
    public var _pageCursor: String? { nil }
    /// Default: `nil`, not known.
    public var _pageHasMore: Bool? { nil }
    /// Default: `nil`, not known.
    public var _pageTotal: Int? { nil }
    /// Default: `nil`, not known.
    public var _pageCount: Int? { nil }
}

extension URI {
    /// The URL of the next page, as text.
    @_spi(Generated) public var pageCursor: String { text }
}

extension URL {
    /// The URL of the next page, as text.
    @_spi(Generated) public var pageCursor: String { absoluteString }
}

extension Int {
    /// The number of the next page, as text.
    @_spi(Generated) public var pageCursor: String { description }
}
