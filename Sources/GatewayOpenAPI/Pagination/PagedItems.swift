public import GatewayJSON

/// The items of all pages of a list. A page is fetched when its first item is requested.
///
/// ```swift
/// for try await book in api.books.listAll(limit: 100) { use(book) }
/// for try await page in api.books.listAll().pages { use(page.items); save(page.resumeToken) }
/// for try await page in api.books.listAll().resumed(from: token).limited(toPages: 10).pages { use(page.items) }
/// ```
/// The list ends with the page that has no next page. If the next page was fetched before, or is at another origin, an
/// error is thrown after the items of the current page. So a server that repeats pages cannot cause an endless loop,
/// and credentials are not sent to another origin. Every iteration starts at the first page.
public struct PagedItems<Page: CursorPage & JSONDecodable, Documented: DocumentedFailure>: AsyncSequence,
    Sendable
{
    /// An item of the list.
    public typealias Element = Page._Item
    /// The error if a page cannot be fetched.
    public typealias Failure = APIError<Documented>

    /// The pages of the list.
    public internal(set) var pages: Pages

    /// Creates the list from the request of its first page.
    @_spi(Generated) public init(
        _ request: RequestBuilder, _ turn: PageTurn, from first: Int, through last: Int
    ) {
        pages = Pages(request: request, turn: turn, first: first, last: last)
    }

    private init(pages: Pages) { self.pages = pages }

    /// A list that starts at the page of a `resumeToken`; `nil` starts at the first page.
    public func resumed(from token: String?) -> PagedItems {
        var pages = pages
        pages.start = token
        return PagedItems(pages: pages)
    }

    /// A list that fetches at most this number of pages. Use `prefix(_:)` to limit the items.
    public func limited(toPages count: Int) -> PagedItems {
        var pages = pages
        pages.limit = count
        return PagedItems(pages: pages)
    }

    /// Starts at the first page.
    public func makeAsyncIterator() -> Iterator { Iterator(pages: pages.makeAsyncIterator()) }

    /// Iterates over the items.
    public struct Iterator: AsyncIteratorProtocol {
        /// The error if a page cannot be fetched.
        public typealias Failure = APIError<Documented>

        private var pages: Pages.Iterator
        private var items: [Page._Item] = []
        private var position = 0

        init(pages: Pages.Iterator) { self.pages = pages }

        /// The next item; fetches the next page if necessary. `nil` after the last item.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(APIError<Documented>) -> Page._Item? {
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
