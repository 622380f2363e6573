internal import GatewayJSON

extension PagedItems {
    /// The pages of a list.
    public struct Pages: AsyncSequence, Sendable {
        /// Why a page could not be had.
        public typealias Failure = APIError<Documented>

        /// A page with what is known about its place.
        public struct Element: Sendable {
            /// The page.
            public let value: Page
            /// Where the next page starts, to go on from there another time; `nil` on the last page.
            public let resumeToken: String?
            /// The page's items.
            public var items: [Page.Item] { value.pageItems }
        }

        let request: RequestBuilder
        let parameter: StaticString
        let first: Int
        let last: Int

        /// Starts at the first page.
        public func makeAsyncIterator() -> Iterator { Iterator(pages: self) }

        /// Walks over the pages.
        public struct Iterator: AsyncIteratorProtocol {
            /// Why a page could not be had.
            public typealias Failure = APIError<Documented>

            private let pages: Pages
            private var request: RequestBuilder?
            private var seen: Set<String> = []

            init(pages: Pages) {
                self.pages = pages
                request = pages.request
                if let start = pages.request.queryPart(pages.parameter) { seen.insert(start) }
            }

            /// Fetches the next page; `nil` after the last, and after an error.
            public mutating func next(
                isolation actor: isolated (any Actor)? = #isolation
            ) async throws(APIError<Documented>) -> Element? {
                guard var request else { return nil }
                self.request = nil
                let reply = await request.send()
                let response: APIResponse<Page, UndocumentedHeaders> = try reply.json(
                    Page.self, from: pages.first, through: pages.last, Documented.self)
                let page = response.value
                guard let cursor = page.pageCursor, !cursor.isEmpty else {
                    return Element(value: page, resumeToken: nil)
                }
                request.replaceQuery(pages.parameter, cursor)
                // A cursor that repeats ends the list.
                guard seen.insert(request.queryPart(pages.parameter) ?? cursor).inserted else {
                    return Element(value: page, resumeToken: nil)
                }
                self.request = request
                return Element(value: page, resumeToken: cursor)
            }
        }
    }
}
