internal import GatewayCore
internal import GatewayJSON

extension PagedItems {
    /// The pages of a list.
    public struct Pages: AsyncSequence, Sendable {
        /// The error if a page cannot be fetched.
        public typealias Failure = APIError<Documented>

        /// A page and the position of the next page.
        public struct Element: Sendable {
            /// The page.
            public let value: Page
            /// The token of the next page, to resume the list later; `nil` on the last page.
            public let resumeToken: String?
            /// The items of the page.
            public var items: [Page._Item] { value._pageItems }
        }

        let request: RequestBuilder
        let turn: PageTurn
        let first: Int
        let last: Int
        /// The token of the page to start at; `nil` starts at the first page.
        var start: String?
        /// The maximum number of pages to fetch.
        var limit = Int.max
        /// The pages of a fake. Their tokens are positions.
        var fixed: [Page]?

        /// Starts at the first page.
        public func makeAsyncIterator() -> Iterator { Iterator(pages: self) }

        /// Iterates over the pages.
        public struct Iterator: AsyncIteratorProtocol {
            /// The error if a page cannot be fetched.
            public typealias Failure = APIError<Documented>

            private let pages: Pages
            private var walk: PageWalk
            /// The request of the next page, or the error in its place; `nil` at the end.
            private var next: Result<RequestBuilder, NetworkError>?
            private var fetched = 0
            /// The ID of the last call; 0 before the first one.
            private var lastCall: UInt64 = 0
            private var body: [UInt8] = []

            init(pages: Pages) {
                self.pages = pages
                var request = pages.request
                if let start = pages.start { request.turn(pages.turn, to: start) }
                walk = PageWalk(pages.turn, from: pages.start ?? request.token(of: pages.turn))
                next = .success(request)
            }

            /// Fetches the next page; `nil` after the last page and after an error.
            public mutating func next(
                isolation actor: isolated (any Actor)? = #isolation
            ) async throws(APIError<Documented>) -> Element? {
                guard fetched < pages.limit, let step = next else { return nil }
                if let fixed = pages.fixed {
                    let position = fetched + (pages.start.flatMap { Int($0) } ?? 0)
                    guard fixed.indices.contains(position) else { return nil }
                    fetched += 1
                    let isLast = position == fixed.count - 1
                    return Element(
                        value: fixed[position], resumeToken: isLast ? nil : String(position + 1))
                }
                next = nil
                guard !Task.isCancelled else {
                    throw failure(NetworkError(.cancelled, "The task was cancelled between two pages."))
                }
                var request: RequestBuilder
                switch step {
                case .success(let builder): request = builder
                case .failure(let error): throw failure(error)
                }
                let reply = await request.send()
                lastCall = reply.call.id
                let response: APIResponse<Page, UndocumentedHeaders> = try reply.json(
                    Page.self, from: pages.first, through: pages.last, Documented.self)
                fetched += 1
                let page = response.value
                let items = page._pageItems.count
                // Offsets and page numbers always differ, so repeated pages are detected by their bodies.
                if pages.turn.kind == .offset || pages.turn.kind == .number, items > 0 {
                    let own = reply.body
                    guard own != body else { throw failure(Self.repeated) }
                    body = own
                }
                let signs = PageWalk.Signs(
                    itemCount: items, cursor: page._pageCursor, hasMore: page._pageHasMore,
                    total: page._pageTotal, pageCount: page._pageCount,
                    link: pages.turn.kind == .link
                        ? LinkHeader.next(in: response.fields.references(in: "Link")) : nil)
                switch walk.next(after: signs) {
                case .end: return Element(value: page, resumeToken: nil)
                case .repeated:
                    next = .failure(Self.repeated)
                    return Element(value: page, resumeToken: nil)
                case .page(let token):
                    request.turn(pages.turn, to: token)
                    next = .success(request)
                    return Element(value: page, resumeToken: token)
                }
            }

            private static var repeated: NetworkError {
                NetworkError(
                    .repeatedPage, "Pagination loops: the server returned a page that was fetched before.")
            }

            private func failure(_ error: NetworkError) -> APIError<Documented> {
                pages.request.reply(.failure(error), lastCall)
                    .shown(APIError(failed: error, operation: pages.request.operation.id))
            }
        }
    }
}
