import GatewayJSON

/// The constraints of the document for books and their parts.
enum BookRules {
    static let genres = ["fiction", "poetry", "science", "history", "children", "self-help"]

    private static let names = [
        "title", "subtitle", "authors", "genre", "price", "publishedOn", "edition", "labels", "isbn",
    ]

    /// The known members of a new book, validated.
    static func newBook(_ body: [String: JSONValue]) -> Result<[String: JSONValue], InvalidRequest> {
        var invalid = InvalidRequest()
        for name in ["title", "authors", "genre", "price"] {
            invalid.require(body[name] != nil, "/" + name, "is missing")
        }
        let book = body.filter { names.contains($0.key) }
        for (name, value) in book.sorted(by: { $0.key < $1.key }) { check(name, value, &invalid) }
        return invalid.isEmpty ? .success(book) : .failure(invalid)
    }

    /// A patch, validated. `null` is allowed only for nullable members.
    static func patch(_ body: [String: JSONValue]) -> Result<[String: JSONValue], InvalidRequest> {
        var invalid = InvalidRequest()
        let patch = body.filter { ["title", "subtitle", "genre", "price", "retiredAt"].contains($0.key) }
        for (name, value) in patch.sorted(by: { $0.key < $1.key }) {
            if name == "retiredAt" {
                invalid.require(
                    value == .null || Timestamp.isInstant(value.string ?? ""), "/retiredAt",
                    "is neither null nor an instant")
            } else {
                check(name, value, &invalid)
            }
        }
        return invalid.isEmpty ? .success(patch) : .failure(invalid)
    }

    private static func check(_ name: String, _ value: JSONValue, _ invalid: inout InvalidRequest) {
        let path = "/" + name
        switch name {
        case "title": invalid.require(value.string?.isEmpty == false, path, "must not be empty")
        case "subtitle": invalid.require(value == .null || value.string != nil, path, "is not text")
        case "authors": checkAuthors(value, &invalid)
        case "genre": invalid.require(genres.contains(value.string ?? ""), path, "is no genre")
        case "price": checkMoney(value, path, &invalid)
        case "publishedOn": invalid.require(Timestamp.isDate(value.string ?? ""), path, "is not a date")
        case "edition": checkEdition(value, &invalid)
        case "labels":
            if let labels = value.object {
                for (label, text) in labels.sorted(by: { $0.key < $1.key }) {
                    invalid.require(text.string != nil, "/labels/" + label, "is not text")
                }
            } else {
                invalid.add(path, "is not an object")
            }
        case "isbn":
            let digits = value.string?.utf8.allSatisfy { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
            invalid.require(digits == true && value.string?.utf8.count == 13, path, "must have 13 digits")
        default: break
        }
    }

    private static func checkAuthors(_ value: JSONValue, _ invalid: inout InvalidRequest) {
        guard let authors = value.array else { return invalid.add("/authors", "is not an array") }
        for (index, author) in authors.enumerated() {
            invalid.require(author["name"]?.string != nil, "/authors/\(index)/name", "is missing")
            if let born = author["born"], born != .null {
                invalid.require(born.int != nil, "/authors/\(index)/born", "is not a year")
            }
        }
    }

    static func checkMoney(_ value: JSONValue, _ path: String, _ invalid: inout InvalidRequest) {
        invalid.require(value["amount"]?.int != nil, path + "/amount", "is not an integer")
        invalid.require(
            value["currency"]?.string?.count == 3, path + "/currency", "must have three letters")
    }

    private static func checkEdition(_ value: JSONValue, _ invalid: inout InvalidRequest) {
        switch value["kind"]?.string {
        case "printed": invalid.require(value["pages"]?.int != nil, "/edition/pages", "is missing")
        case "digital":
            if value["formats"]?.array != nil { return }
            invalid.add("/edition/formats", "is missing")
        default: invalid.add("/edition/kind", "must be printed or digital")
        }
    }
}
