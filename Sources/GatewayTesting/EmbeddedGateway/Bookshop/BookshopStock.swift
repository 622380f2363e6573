import GatewayCore
import GatewayJSON

/// The initial books of a shop. They are always the same, and include all members and variants that the document
/// defines.
enum BookshopStock {
    private static let subjects = [
        "Rivers", "Lanterns", "Orchards", "Telescopes", "Harbours", "Sparrows", "Clocks", "Deserts",
        "Islands",
        "Violins",
    ]
    private static let patterns = ["A History of", "The Book of", "On", "Letters about", "Without"]
    private static let authors = [
        "Ada Merz", "Tomas Lindqvist", "Chiara Bellini", "Noor Haddad", "Seán Ó Briain", "Yuki Tanaka",
    ]

    /// The given number of books, without identifiers.
    static func books(_ count: Int) -> [[String: JSONValue]] { (0..<max(0, count)).map(book) }

    private static func book(_ index: Int) -> [String: JSONValue] {
        var book: [String: JSONValue] = [
            "title": .string(
                "\(patterns[index % patterns.count]) \(subjects[index / patterns.count % subjects.count])"),
            "authors": .array([author(index)] + (index % 4 == 3 ? [author(index + 1)] : [])),
            "genre": .string(BookRules.genres[index % BookRules.genres.count]),
            "price": ["amount": .number(JSONNumber(790 + index * 37 % 4000)), "currency": "EUR"],
            "publishedOn": .string("\(1950 + index % 75)-\(["03", "06", "10"][index % 3])-15"),
            // 2026-01-01T00:00:00Z, one minute later for each book.
            "createdAt": .string(Timestamp.text(.seconds(1_767_225_600 + 60 * index))),
            "isbn": .string(String(9_780_000_000_000 + index)),
        ]
        if index % 3 == 1 { book["subtitle"] = .string("Volume \(index / 3 + 1)") }
        if index % 2 == 0 {
            book["edition"] = [
                "kind": "printed", "pages": .number(JSONNumber(96 + index)),
                "binding": index % 4 == 0 ? "paperback" : "hardcover",
            ]
        } else {
            book["edition"] = ["kind": "digital", "formats": ["epub", "pdf"], "bytes": 1_482_133]
        }
        if index % 5 == 0 { book["labels"] = ["shelf": .string("S\(index % 9)"), "window": "yes"] }
        if index % 6 == 0 { book["cover"] = .string("https://covers.bookshop.example/\(index).png") }
        if index % 7 != 0 { book["rating"] = .number(JSONNumber(index % 6)) }
        return book
    }

    private static func author(_ index: Int) -> JSONValue {
        let name = JSONValue.string(authors[index % authors.count])
        switch index % 3 {
        case 0: return ["name": name, "born": .number(JSONNumber(1900 + index % 90))]
        case 1: return ["name": name, "born": .null]
        default: return ["name": name]
        }
    }
}
