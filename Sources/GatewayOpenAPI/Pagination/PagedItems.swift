public import GatewayJSON

/// The items of all pages of a list. A page is fetched when an item of it is asked for.
///
/// ```swift
/// for try await book in api.books.listAll(limit: 100) { use(book) }
/// for try await page in api.books.listAll().pages { use(page.items); save(page.resumeToken) }
/// for try await page in api.books.listAll().resumed(from: token).limited(toPages: 10).pages { use(page.items) }
/// ```
/// The list ends with the page that names no next one. One that leads back to a page that was there before, or to
/// another origin, ends with an error after that page's items: a server that repeats itself never makes an endless
/// loop, and credentials go nowhere else. Every iteration starts anew.
public struct PagedItems<Page: CursorPage & JSONDecodable, Documented: DocumentedFailure>: AsyncSequence,
    Sendable
{
    /// What the list is of.
    public typealias Element = Page.Item
    /// Why a page could not be had.
    public typealias Failure = APIError<Documented>

    /// The pages themselves.
    public internal(set) var pages: Pages

    /// Makes the list from the request of its first page.
    @_spi(Generated) public init(
        _ request: RequestBuilder, _ turn: PageTurn, from first: Int, through last: Int
    ) {
        pages = Pages(request: request, turn: turn, first: first, last: last)
    }

    private init(pages: Pages) { self.pages = pages }

    /// The same list from the page of a `resumeToken` on; `nil` is the beginning.
    public func resumed(from token: String?) -> PagedItems {
        var pages = pages
        pages.start = token
        return PagedItems(pages: pages)
    }

    /// The same list, which fetches no more pages than this. `prefix(_:)` does it for items.
    public func limited(toPages count: Int) -> PagedItems {
        var pages = pages
        pages.limit = count
        return PagedItems(pages: pages)
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
