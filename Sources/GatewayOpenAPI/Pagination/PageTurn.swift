public import GatewayCore

/// How one gets from a page to the next.
@_spi(Generated) public struct PageTurn: Sendable {
    enum Kind: Sendable {
        case cursor, offset, number, url, link
    }

    let kind: Kind
    /// The query parameter that says which page is wanted; none for URLs.
    let parameter: StaticString
    /// The parameter's value for the first page.
    let first: Int
    /// Whether the parameter is a property of the JSON body, and its name the way to it, with dots.
    private(set) var isInBody = false
    /// Whether such a property is a number.
    private(set) var isNumber = false

    /// The same, with a property of the JSON body in the place of a query parameter.
    public func inBody(isNumber: Bool = false) -> PageTurn {
        var turn = self
        turn.isInBody = true
        turn.isNumber = isNumber
        return turn
    }

    /// The page holds the parameter's next value.
    public static func cursor(_ parameter: StaticString) -> PageTurn {
        PageTurn(kind: .cursor, parameter: parameter, first: 0)
    }

    /// The parameter counts items.
    public static func offset(_ parameter: StaticString, first: Int = 0) -> PageTurn {
        PageTurn(kind: .offset, parameter: parameter, first: first)
    }

    /// The parameter counts pages.
    public static func number(_ parameter: StaticString, first: Int = 1) -> PageTurn {
        PageTurn(kind: .number, parameter: parameter, first: first)
    }

    /// The page holds the next one's URL.
    public static var url: PageTurn { PageTurn(kind: .url, parameter: "", first: 0) }

    /// The response has a `Link` header to the next page (RFC 8288, `rel="next"`).
    public static var link: PageTurn { PageTurn(kind: .link, parameter: "", first: 0) }
}

extension NetworkError {
    /// A list leads back to a page that was there before: it would never end.
    public static let repeatedPage = Code("repeated_page", category: .permanent)
    /// The next page's URL is at another origin than the server's. No credentials go there.
    public static let foreignPage = Code("foreign_page", category: .permanent)
}

extension NetworkError.Code {
    /// A list leads back to a page that was there before: it would never end.
    public static var repeatedPage: Self { NetworkError.repeatedPage }
    /// The next page's URL is at another origin than the server's. No credentials go there.
    public static var foreignPage: Self { NetworkError.foreignPage }
}
