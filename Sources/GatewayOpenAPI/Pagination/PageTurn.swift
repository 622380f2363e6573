public import GatewayCore

/// How the request of the next page is made from the current page.
@_spi(Generated) public struct PageTurn: Sendable {
    enum Kind: Sendable {
        case cursor, offset, number, url, link
    }

    let kind: Kind
    /// The query parameter that selects the page; empty for URLs.
    let parameter: StaticString
    /// The value of the parameter for the first page.
    let first: Int
    /// Whether the parameter is a property of the JSON body. Its name is then the path to it, separated by dots.
    private(set) var isInBody = false
    /// Whether the property in the body is a number.
    private(set) var isNumber = false

    /// A copy that uses a property of the JSON body instead of a query parameter.
    public func inBody(isNumber: Bool = false) -> PageTurn {
        var turn = self
        turn.isInBody = true
        turn.isNumber = isNumber
        return turn
    }

    /// The page contains the next value of the parameter.
    public static func cursor(_ parameter: StaticString) -> PageTurn {
        PageTurn(kind: .cursor, parameter: parameter, first: 0)
    }

    /// The parameter is the number of items to skip.
    public static func offset(_ parameter: StaticString, first: Int = 0) -> PageTurn {
        PageTurn(kind: .offset, parameter: parameter, first: first)
    }

    /// The parameter is a page number.
    public static func number(_ parameter: StaticString, first: Int = 1) -> PageTurn {
        PageTurn(kind: .number, parameter: parameter, first: first)
    }

    /// The page contains the URL of the next page.
    public static var url: PageTurn { PageTurn(kind: .url, parameter: "", first: 0) }

    /// The response has a `Link` header field with the next page (RFC 8288, `rel="next"`).
    public static var link: PageTurn { PageTurn(kind: .link, parameter: "", first: 0) }
}

extension NetworkError {
    /// The next page was fetched before; the list would never end.
    public static let repeatedPage = Code("repeated_page", category: .permanent)
    /// The URL of the next page is at another origin than the server. No request and no credentials are sent there.
    public static let foreignPage = Code("foreign_page", category: .permanent)
}

extension NetworkError.Code {
    /// The next page was fetched before; the list would never end.
    public static var repeatedPage: Self { NetworkError.repeatedPage }
    /// The URL of the next page is at another origin than the server. No request and no credentials are sent there.
    public static var foreignPage: Self { NetworkError.foreignPage }
}
