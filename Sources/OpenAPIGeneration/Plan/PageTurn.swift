/// How the next page is requested.
enum PageTurn {
    case url, link
    case parameter(Kind, Parameter)

    enum Kind: String {
        case cursor, offset, number
    }

    /// The parameter that selects the page.
    struct Parameter {
        let name: String
        var isNumber = false
        var isInBody = false
        /// The value for the first page, if it is known.
        var first: Int?
    }
}
