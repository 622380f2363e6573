public import GatewayJSON

/// The items of all pages of a list. A page is fetched when an item of it is asked for.
///
/// ```swift
/// for try await book in api.books.listAll(limit: 100) { use(book) }
/// for try await page in api.books.listAll().pages { use(page.items); save(page.resumeToken) }
/// ```
/// The list ends with the page that has no cursor, or one that was seen before: a server that repeats itself
/// never makes an endless loop. Every iteration starts anew.
public struct PagedItems<Page: CursorPage & JSONDecodable, Documented: DocumentedFailure>: AsyncSequence,
    Sendable
{
    /// What the list is of.
    public typealias Element = Page.Item
    /// Why a page could not be had.
    public typealias Failure = APIError<Documented>

    /// The pages themselves.
    public let pages: Pages

    /// Makes the list from the request of its first page.
    @_spi(Generated) public init(
        _ request: RequestBuilder, cursor: StaticString, from first: Int, through last: Int
    ) {
        pages = Pages(request: request, parameter: cursor, first: first, last: last)
    }

    /// Starts at the first page.
    public func makeAsyncIterator() -> Iterator { Iterator(pages: pages.makeAsyncIterator()) }

    /// Walks over the items.
    public struct Iterator: AsyncIteratorProtocol {
        /// Why a page could not be had.
        public typealias Failure = APIError<Documented>

        private var pages: Pages.Iterator
        private var items: [Page.Item] = []
        private var position = 0

        init(pages: Pages.Iterator) { self.pages = pages }

        /// The next item, of the next page if need be; `nil` after the last.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(APIError<Documented>) -> Page.Item? {
            while position == items.count {
                guard let page = try await pages.next(isolation: actor) else { return nil }
                items = page.items
                position = 0
            }
            defer { position += 1 }
            return items[position]
        }
    }
}
