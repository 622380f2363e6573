public import GatewayJSON

/// A page that is an array of items and nothing else: where the next one is stands in the response's header, or follows
/// from the number of the items.
public struct ArrayPage<Item: JSONDecodable & Sendable>: CursorPage, JSONDecodable {
    /// The items.
    public let _pageItems: [Item]

    /// A page of your own, for tests.
    public init(_ items: [Item]) { _pageItems = items }

    /// Reads an array.
    public init(json: JSONElement) throws(JSONError) { _pageItems = try [Item](json: json) }
}
