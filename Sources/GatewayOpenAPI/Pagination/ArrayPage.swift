public import GatewayJSON

/// A page that is a plain array of items. The next page is in the `Link` header field, or is computed from the number
/// of items.
public struct ArrayPage<Item: JSONDecodable & Sendable>: CursorPage, JSONDecodable {
    /// The items.
    public let _pageItems: [Item]

    /// Creates a page, for tests.
    public init(_ items: [Item]) { _pageItems = items }

    /// Decodes an array.
    public init(json: JSONElement) throws(JSONError) { _pageItems = try [Item](json: json) }
}
