internal import GatewayCore

/// Decides which page is next, from the data of the previous pages. No I/O.
struct PageWalk: Sendable {
    /// The next step after a page.
    enum Next: Equatable, Sendable {
        /// The end of the list.
        case end
        /// The page with this token: a cursor, a number or a URL.
        case page(String)
        /// A page that was fetched before.
        case repeated
    }

    /// The pagination data of a page.
    struct Signs: Sendable {
        var itemCount = 0
        var cursor: String?
        var hasMore: Bool?
        var total: Int?
        var pageCount: Int?
        /// The target of the `Link` header field with the relation `next`.
        var link: String?
    }

    private let turn: PageTurn
    private let startsAtFirst: Bool
    /// The position of the first page: a caller can start before the one that is assumed.
    private let first: Int
    private var seen: Set<String> = []
    /// The current offset or page number.
    private var position: Int
    private var itemCount = 0

    /// Creates a walk from the page of a token; `nil` starts at the first page.
    init(_ turn: PageTurn, from start: String?) {
        self.turn = turn
        startsAtFirst = start == nil
        position = start.flatMap { Int($0) } ?? turn.first
        first = min(turn.first, position)
        if let start { seen.insert(start) }
    }

    /// The step after a page.
    mutating func next(after page: Signs) -> Next {
        itemCount += page.itemCount
        switch turn.kind {
        case .cursor, .url: return page.hasMore == false ? .end : follow(page.cursor)
        case .link: return follow(page.link)
        case .offset:
            guard page.itemCount > 0, page.hasMore != false else { return .end }
            let (sum, isOver) = position.addingReportingOverflow(page.itemCount)
            guard !isOver else { return .end }
            position = sum
            if let total = page.total, position.subtractingClamped(first) >= total { return .end }
            return .page(String(position))
        case .number:
            guard page.itemCount > 0, page.hasMore != false, position < Int.max else { return .end }
            let walked = position.subtractingClamped(first).addingClamped(1)
            if let count = page.pageCount, walked >= count { return .end }
            if let total = page.total, startsAtFirst, itemCount >= total { return .end }
            position += 1
            return .page(String(position))
        }
    }

    private mutating func follow(_ token: String?) -> Next {
        guard let token, !token.isEmpty else { return .end }
        return seen.insert(token).inserted ? .page(token) : .repeated
    }
}
