import GatewayJSON

/// The query parameters of a list of books.
struct BookQuery: Sendable {
    var limit = 50
    /// The sequence number after which the page starts.
    var after = 0
    var genres: [String] = []
    var words: [String] = []
    var publishedAfter: String?

    /// Parses the query of a request.
    static func read(_ request: EmbeddedGateway.Request) -> Result<BookQuery, InvalidRequest> {
        var query = BookQuery()
        var invalid = InvalidRequest()
        for (name, value) in request.query {
            switch name {
            case "limit":
                query.limit = Int(value) ?? 0
                invalid.require((1...200).contains(query.limit), "/limit", "must be from 1 to 200")
            case "cursor":
                let sequence = value.hasPrefix("c") ? Int(value.dropFirst(), radix: 36) : nil
                query.after = sequence ?? 0
                invalid.require((sequence ?? -1) >= 0, "/cursor", "is not one of ours")
            case "genre":
                query.genres.append(value)
                invalid.require(BookRules.genres.contains(value), "/genre", "is no genre")
            case "q": query.words += value.lowercased().split(separator: " ").map(String.init)
            case "publishedAfter":
                query.publishedAfter = value
                invalid.require(Timestamp.isDate(value), "/publishedAfter", "is not a date")
            default: break
            }
        }
        return invalid.isEmpty ? .success(query) : .failure(invalid)
    }

    /// The cursor of the page after a book.
    static func cursor(after sequence: Int) -> String { "c" + String(sequence, radix: 36) }

    /// Whether a book matches the query.
    func matches(_ book: [String: JSONValue]) -> Bool {
        if !genres.isEmpty, !genres.contains(book["genre"]?.string ?? "") { return false }
        if let publishedAfter, (book["publishedOn"]?.string ?? "") <= publishedAfter { return false }
        guard !words.isEmpty else { return true }
        var text = book["title"]?.string ?? ""
        if let authors = book["authors"]?.array {
            for author in authors { text += " " + (author["name"]?.string ?? "") }
        }
        text = text.lowercased()
        return words.allSatisfy(text.contains)
    }
}
