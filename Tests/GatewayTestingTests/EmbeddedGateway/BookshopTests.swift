import GatewayCore
import GatewayJSON
import GatewayTesting
import Testing

@Suite struct BookshopTests {
    private let gateway: EmbeddedGateway
    private let token: Secret
    private static let newBook =
        #"{"title":"On Tides","authors":[{"name":"Ada Merz","born":null}],"genre":"science","price":{"amount":1250,"currency":"EUR"},"isbn":"9781234567897","edition":{"kind":"printed","pages":300}}"#

    init() throws {
        gateway = try EmbeddedGateway.start()
        token = try gateway.issueAccessToken().token
    }

    private func items(_ response: RawResponse) -> [JSONValue] {
        response.json["items"]?.array ?? []
    }

    @Test func pagesFollowEachOtherByTheirCursors() async throws {
        var seen: [String] = []
        var target = "/v1/books?limit=50"
        var pages = 0
        while pages < 10 {
            let response = try await gateway.send("GET", target, token: token)
            #expect(response.status == 200)
            #expect(response.fields["x-total-count"] == "120")
            seen += items(response).compactMap { $0["id"]?.string }
            pages += 1
            guard let cursor = response.json["nextCursor"]?.string else { break }
            target = "/v1/books?limit=50&cursor=\(cursor)"
        }
        #expect(pages == 3)
        #expect(seen.count == 120 && Set(seen).count == 120)
    }

    @Test func filtersNarrowTheList() async throws {
        func count(_ query: String) async throws -> Int {
            let response = try await gateway.send("GET", "/v1/books?limit=200&\(query)", token: token)
            #expect(items(response).count == Int(response.fields["x-total-count"] ?? ""))
            return items(response).count
        }
        #expect(try await count("genre=poetry") == 20)
        #expect(try await count("genre=poetry&genre=science") == 40)
        let some = try await count("q=letters%20merz")
        #expect(some > 0 && some < 120)
        #expect(try await count("q=nobody") == 0)
        let recent = try await count("publishedAfter=2000-01-01")
        #expect(recent > 0 && recent < 120)
    }

    @Test(arguments: ["limit=0", "limit=201", "limit=x", "cursor=x", "genre=romance", "publishedAfter=today"])
    func badQueriesAreNamed(query: String) async throws {
        let response = try await gateway.send("GET", "/v1/books?\(query)", token: token)
        #expect(response.status == 422)
        #expect(response.fields["content-type"] == "application/problem+json")
        let name = query.prefix { $0 != "=" }
        #expect(response.json["violations"]?[0]?["field"]?.string == "/\(name)")
        #expect(response.json["violations"]?[0]?["message"]?.string?.isEmpty == false)
    }

    @Test func aBookHasWhatTheDocumentRequires() async throws {
        for id in 1...12 {
            let response = try await gateway.send("GET", "/v1/books/bk-\(id)", token: token)
            let book = response.json
            #expect(response.fields["etag"] == "\"\(id)-1\"")
            #expect(book["id"]?.string == "bk-\(id)")
            #expect(book["createdAt"]?.string == "2026-01-01T00:\(id < 11 ? "0" : "")\(id - 1):00Z")
            #expect(book["retiredAt"] == .null)
            for name in ["title", "authors", "genre", "price"] { #expect(book[name] != nil) }
        }
        let unchanged = try await gateway.send(
            "GET", "/v1/books/bk-1", token: token, ["If-None-Match": "\"1-1\""])
        #expect(unchanged.status == 304)
    }

    @Test func whatIsNotThereIsATypedProblem() async throws {
        for (method, target, body) in [
            ("GET", "/v1/books/nope", ""), ("DELETE", "/v1/books/nope", ""), ("GET", "/v1/orders/nope", ""),
            ("PUT", "/v1/stock/nope", #"{"copies":1}"#),
        ] {
            let response = try await gateway.send(method, target, token: token, json: body)
            #expect(response.status == 404)
            #expect(response.fields["content-type"] == "application/problem+json")
            #expect(response.json["status"] == 404)
            #expect(response.json["title"]?.string?.isEmpty == false)
        }
    }

    @Test func theLatestKeysAreRemembered() async throws {
        var configuration = EmbeddedGateway.Configuration()
        configuration.idempotencyKeyLimit = 2
        let gateway = try EmbeddedGateway.start(configuration)
        defer { gateway.shutdown() }
        let token = try gateway.issueAccessToken().token
        func isReplayed(_ key: String) async throws -> Bool {
            let body = Self.newBook.replacing("Tides", with: "Tides \(key)")
            let response = try await gateway.send(
                "POST", "/v1/books", token: token, json: body, ["Idempotency-Key": key])
            return response.fields["idempotency-replayed"] == "true"
        }
        var replays: [Bool] = []
        for key in ["k1", "k2", "k1", "k3", "k2", "k3", "k1", "k2"] {
            replays.append(try await isReplayed(key))
        }
        #expect(replays == [false, false, true, false, true, true, false, false])
    }

    @Test func aBookIsAddedOncePerKey() async throws {
        func create(_ body: String, key: String?) async throws -> RawResponse {
            try await gateway.send(
                "POST", "/v1/books", token: token, json: body, key.map { ["Idempotency-Key": $0] } ?? [:])
        }
        let first = try await create(Self.newBook, key: "k1")
        #expect(first.status == 201)
        #expect(first.fields["location"] == "books/bk-121")
        #expect(first.json["title"] == "On Tides")
        let again = try await create(Self.newBook, key: "k1")
        #expect(again.status == 201)
        #expect(again.body == first.body)
        #expect(again.fields["idempotency-replayed"] == "true")
        #expect(again.fields["x-request-id"] != first.fields["x-request-id"])

        let other = try await create(Self.newBook.replacing("Tides", with: "Ebbs"), key: "k1")
        #expect(other.status == 422)
        #expect(other.json["violations"]?[0]?["field"] == "/Idempotency-Key")
        // Another key is another request, and the ISBN is taken.
        let conflict = try await create(Self.newBook, key: "k2")
        #expect(conflict.status == 409)
        #expect(conflict.json["conflictingId"] == "bk-121")
        #expect(try await create(Self.newBook, key: nil).status == 409)
        // The same refusal comes again for the same key.
        #expect(try await create(Self.newBook, key: "k2").json == conflict.json)
        #expect(try await create(Self.newBook, key: String(repeating: "k", count: 256)).status == 422)
        #expect(gateway.journal.filter(\.hasIdempotencyKey).count == 6)
    }

    @Test func concurrentRequestsWithOneKeyHaveOneEffect() async throws {
        let (gateway, token) = (gateway, token)
        let bodies = try await withThrowingTaskGroup(of: [UInt8].self) { group in
            for _ in 0..<20 {
                group.addTask {
                    try await gateway.send(
                        "POST", "/v1/books", token: token, json: Self.newBook, ["Idempotency-Key": "one"]
                    ).body
                }
            }
            return try await group.reduce(into: Set<[UInt8]>()) { $0.insert($1) }
        }
        #expect(bodies.count == 1)
        let list = try await gateway.send("GET", "/v1/books?limit=1", token: token)
        #expect(list.fields["x-total-count"] == "121")
    }

    @Test func whatIsWrongWithANewBookIsNamed() async throws {
        let body =
            #"{"title":"","authors":[{}],"genre":"x","price":{"amount":1.5,"currency":"EURO"},"isbn":"1","labels":{"a":1},"edition":{"kind":"stone"}}"#
        let response = try await gateway.send("POST", "/v1/books", token: token, json: body)
        #expect(response.status == 422)
        guard let violations = response.json["violations"]?.array else {
            Issue.record("no violations")
            return
        }
        #expect(
            violations.compactMap { $0["field"]?.string } == [
                "/authors/0/name", "/edition/kind", "/genre", "/isbn", "/labels/a", "/price/amount",
                "/price/currency", "/title",
            ])
        #expect(try await gateway.send("POST", "/v1/books", token: token, json: "{}").status == 422)
        #expect(try await gateway.send("POST", "/v1/books", token: token, json: "[]").status == 400)
        #expect(try await gateway.send("POST", "/v1/books", token: token, json: "{").status == 400)
        #expect(try await gateway.send("POST", "/v1/books", token: token, body: "{}").status == 415)
    }

    @Test func aPatchChangesWhatItNamesAndClearsWhatIsNull() async throws {
        func patch(_ body: String, _ fields: [String: String] = [:]) async throws -> RawResponse {
            try await gateway.send(
                "PATCH", "/v1/books/bk-2", token: token, json: body, type: "application/merge-patch+json",
                fields)
        }
        let before = try await gateway.send("GET", "/v1/books/bk-2", token: token).json
        #expect(before["subtitle"]?.string == "Volume 1")
        let titled = try await patch(#"{"title":"New"}"#)
        #expect(titled.status == 200)
        #expect(titled.json["title"] == "New" && titled.json["subtitle"] == before["subtitle"])
        #expect(titled.fields["etag"] == "\"2-2\"")
        let cleared = try await patch(#"{"subtitle":null}"#, ["If-Match": "\"2-2\""])
        #expect(cleared.json["subtitle"] == nil && cleared.json["title"] == "New")
        #expect(try await patch(#"{"title":"Newer"}"#, ["If-Match": "\"2-2\""]).status == 412)
        #expect(try await patch(#"{"title":null}"#).status == 422)

        // A retired book is not changed but by its return.
        #expect(try await patch(#"{"retiredAt":"2026-05-01T10:00:00Z"}"#).status == 200)
        let refused = try await patch(#"{"title":"Late"}"#)
        #expect(refused.status == 409 && refused.json["conflictingId"] == "bk-2")
        #expect(try await patch(#"{"retiredAt":null,"title":"Back"}"#).json["title"] == "Back")
        #expect(try await patch("{}").status == 200)
    }

    @Test func aDeletedBookIsGone() async throws {
        let response = try await gateway.send("DELETE", "/v1/books/bk-50", token: token)
        #expect(response.status == 204 && response.body.isEmpty)
        #expect(try await gateway.send("GET", "/v1/books/bk-50", token: token).status == 404)
        #expect(try await gateway.send("DELETE", "/v1/books/bk-50", token: token).status == 404)
        // Those behind it are still found.
        #expect(try await gateway.send("GET", "/v1/books/bk-120", token: token).json["id"] == "bk-120")
        let page = try await gateway.send("GET", "/v1/books?limit=1&cursor=c1d", token: token)
        #expect(items(page).first?["id"] == "bk-51")
    }

    @Test func ordersTakeCopiesOffTheShelves() async throws {
        let address = #"{"name":"A","street":"B 1","city":"C","postalCode":"1","country":"NL"}"#
        func order(_ lines: String) async throws -> RawResponse {
            try await gateway.send(
                "POST", "/v1/orders", token: token, json: #"{"lines":\#(lines),"shipTo":\#(address)}"#)
        }
        let price = try await gateway.send("GET", "/v1/books/bk-1", token: token).json["price"]
        let placed = try await order(#"[{"bookId":"bk-1","quantity":4}]"#)
        #expect(placed.status == 201)
        #expect(placed.json["status"] == "placed")
        #expect(placed.json["total"]?["amount"]?.int == (price?["amount"]?.int ?? 0) * 4)
        let id = try #require(placed.json["id"]?.string)
        #expect(id.count == 36 && id.split(separator: "-").map(\.count) == [8, 4, 4, 4, 12])
        #expect(try await gateway.send("GET", "/v1/orders/\(id)", token: token).json == placed.json)

        // Six are left.
        #expect(try await order(#"[{"bookId":"bk-1","quantity":7}]"#).json["conflictingId"] == "bk-1")
        #expect(
            try await gateway.send("PUT", "/v1/stock/bk-1", token: token, json: #"{"copies":7}"#).json
                == ["copies": 7])
        #expect(try await order(#"[{"bookId":"bk-1","quantity":7}]"#).status == 201)
        #expect(try await order(#"[{"bookId":"none","quantity":1}]"#).status == 422)
        #expect(try await order(#"[{"bookId":"bk-2","quantity":0}]"#).status == 422)
        #expect(try await order("[]").status == 422)
        let negative = try await gateway.send(
            "PUT", "/v1/stock/bk-1", token: token, json: #"{"copies":-1}"#)
        #expect(negative.status == 422)
    }
}
