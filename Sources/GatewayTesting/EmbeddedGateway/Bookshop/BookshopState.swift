import GatewayCore
import GatewayJSON

/// The state of the bookshop. Pure state: requests in, responses out.
struct BookshopState: Sendable {
    /// A book, with its encoded JSON, because it is read much more often than changed.
    struct Book: Sendable {
        let id: String
        let sequence: Int
        var version = 1
        var members: [String: JSONValue] { didSet { json = Self.encode(members) } }
        private(set) var json: [UInt8]
        var copies = 10

        init(id: String, sequence: Int, members: [String: JSONValue]) {
            self.id = id
            self.sequence = sequence
            self.members = members
            json = Self.encode(members)
        }

        private static func encode(_ members: [String: JSONValue]) -> [UInt8] {
            // Encoding a JSON value never fails.
            (try? JSONValue.object(members).jsonBytes()) ?? []
        }

        /// The entity tag (RFC 9110 §8.8.3).
        var entityTag: String { "\"\(sequence)-\(version)\"" }
        var reply: EmbeddedGateway.Reply {
            EmbeddedGateway.Reply(
                fields: [.contentType: "application/json", "ETag": entityTag], body: json)
        }
    }

    private struct Record {
        let bytes: [UInt8]
        let reply: EmbeddedGateway.Reply
    }

    /// The books in the order of their sequence numbers.
    private var books: [Book] = []
    private var indexOfBook: [String: Int] = [:]
    private var lastSequence = 0
    var orders: [String: JSONValue] = [:]
    private var records: [IdempotencyKey: Record] = [:]
    /// The keys of the records: a ring buffer. The oldest key is at `oldestKey`.
    private var keys: [IdempotencyKey] = []
    private var oldestKey = 0
    private let keyLimit: Int

    init(bookCount: Int, keyLimit: Int) {
        self.keyLimit = max(1, keyLimit)
        for members in BookshopStock.books(bookCount) { _ = add(members) }
    }

    private mutating func add(_ members: [String: JSONValue]) -> Book {
        lastSequence += 1
        let id = "bk-\(lastSequence)"
        var members = members
        members["id"] = .string(id)
        members["retiredAt"] = .null
        let book = Book(id: id, sequence: lastSequence, members: members)
        indexOfBook[id] = books.count
        books.append(book)
        return book
    }

    func find(_ id: String) -> Book? { indexOfBook[id].map { books[$0] } }

    mutating func update(_ id: String, _ change: (inout Book) -> Void) {
        if let index = indexOfBook[id] { change(&books[index]) }
    }

    static func noBook(_ id: String) -> EmbeddedGateway.Reply {
        .problem(404, "There is no book \(id).", ["type": "/problems/not-found"])
    }

    // MARK: Books

    /// The operation `listBooks`.
    func list(_ query: BookQuery) -> EmbeddedGateway.Reply {
        var (total, next) = (0, Int?.none)
        var body = Array(#"{"items":["#.utf8)
        var (count, last) = (0, 0)
        for book in books where query.matches(book.members) {
            total += 1
            guard book.sequence > query.after else { continue }
            guard count < query.limit else {
                next = last
                continue
            }
            if count > 0 { body.append(UInt8(ascii: ",")) }
            body += book.json
            count += 1
            last = book.sequence
        }
        let cursor = next.map { "\"\(BookQuery.cursor(after: $0))\"" } ?? "null"
        body += "],\"nextCursor\":\(cursor)}".utf8
        return EmbeddedGateway.Reply(
            fields: [.contentType: "application/json", "X-Total-Count": String(total)], body: body)
    }

    /// The operation `getBook`.
    func book(_ id: String, ifNoneMatch: String?) -> EmbeddedGateway.Reply {
        guard let book = find(id) else { return Self.noBook(id) }
        if let ifNoneMatch, ifNoneMatch == "*" || ifNoneMatch.contains(book.entityTag) {
            return .status(304, fields: ["ETag": book.entityTag])
        }
        return book.reply
    }

    /// The operation `updateBook`, a merge patch (RFC 7396): missing members are unchanged, `null` removes a member.
    mutating func patch(_ id: String, _ body: [String: JSONValue], ifMatch: String?) -> EmbeddedGateway.Reply
    {
        guard let book = find(id) else { return Self.noBook(id) }
        if let ifMatch, ifMatch != "*", !ifMatch.contains(book.entityTag) {
            return .problem(412, "The book has changed since.")
        }
        switch BookRules.patch(body) {
        case .failure(let invalid): return invalid.reply
        case .success(let patch):
            // A retired book cannot be changed, except to end its retirement.
            let stays = patch["retiredAt"].map { $0 != .null } ?? true
            if book.members["retiredAt"] != .null, stays {
                return .problem(409, "The book is retired.", ["conflictingId": .string(id)])
            }
            var members = book.members
            for (name, value) in patch {
                // `retiredAt` is always present; other members are removed by `null`.
                if value == .null, name != "retiredAt" {
                    members.removeValue(forKey: name)
                } else {
                    members[name] = value
                }
            }
            update(id) { book in
                book.members = members
                book.version += 1
            }
            return find(id)?.reply ?? Self.noBook(id)
        }
    }

    /// The operation `deleteBook`.
    mutating func deleteBook(_ id: String) -> EmbeddedGateway.Reply {
        guard let index = indexOfBook.removeValue(forKey: id) else { return Self.noBook(id) }
        books.remove(at: index)
        for later in index..<books.count { indexOfBook[books[later].id] = later }
        return .status(204)
    }

    // MARK: Operations with Idempotency-Key

    /// The operations `createBook` and `placeOrder`.
    ///
    /// - Parameter key: the key for storing the response; `nil` if the request has none.
    mutating func create(
        _ creation: Creation, operation: String, key: IdempotencyKey?
    ) -> EmbeddedGateway.Reply {
        if let key, let record = records[key] {
            guard record.bytes == creation.bytes else {
                return InvalidRequest("/Idempotency-Key", "was used with another content").reply
            }
            var reply = record.reply
            reply.fields["Idempotency-Replayed"] = "true"
            return reply
        }
        let reply = operation == "createBook" ? createBook(creation) : placeOrder(creation)
        if let key { remember(Record(bytes: creation.bytes, reply: reply), under: key) }
        return reply
    }

    /// Stores a response. If the limit is reached, it replaces the oldest one.
    private mutating func remember(_ record: Record, under key: IdempotencyKey) {
        records[key] = record
        guard keys.count >= keyLimit else { return keys.append(key) }
        records[keys[oldestKey]] = nil
        keys[oldestKey] = key
        oldestKey = (oldestKey + 1) % keyLimit
    }

    private mutating func createBook(_ creation: Creation) -> EmbeddedGateway.Reply {
        switch BookRules.newBook(creation.body) {
        case .failure(let invalid): return invalid.reply
        case .success(var members):
            if let isbn = members["isbn"], let other = books.first(where: { $0.members["isbn"] == isbn }) {
                return .problem(
                    409, "There is a book with this ISBN.", ["conflictingId": .string(other.id)])
            }
            members["createdAt"] = .string(creation.now)
            let book = add(members)
            var reply = book.reply
            reply.status = 201
            reply.fields[.location] = "books/\(book.id)"
            return reply
        }
    }
}
