import Foundation
import GatewayCore
import GatewayJSON
import GatewayOpenAPI
import GatewayTesting
import Testing

@Suite struct BookshopCallTests {
    static let book = #"""
        {"id":"b1","title":"Emma","subtitle":null,"authors":[{"name":"Jane Austen","born":1775}],"genre":"fiction",
        "price":{"amount":1250,"currency":"EUR"},"createdAt":"2024-02-29T12:00:00.123456789+01:00","retiredAt":null,
        "edition":{"kind":"printed","pages":474,"binding":"leather"},"labels":{"shelf":"A1"},
        "publishedOn":"1815-12-23","rating":4.5,"cover":"https://img.test/b1.png","unknown":[1,{"x":null}]}
        """#

    @Test func aValueIsDecoded() async throws {
        let engine = ScriptedEngine(
            .json(200, ["X-Request-ID": "r-1", "ETag": "\"7\""], Self.book))
        let response = try await BookshopClient.scripted(engine).books.withResponse.get(bookId: "b 1/ü")
        let book = response.value
        #expect(book.title == "Emma")
        #expect(book.subtitle == .null)
        #expect(book.authors.first?.born == .value(1_775))
        #expect(book.genre == .fiction)
        #expect(book.price.amount == 1_250)
        #expect(abs(book.createdAt.timeIntervalSince1970 - 1_709_204_400.123456789) < 0.000_001)
        #expect(book.retiredAt == nil)
        #expect(book.publishedOn == CalendarDate(year: 1815, month: 12, day: 23))
        #expect(book.rating == 4.5)
        #expect(book.cover?.url?.host() == "img.test")
        guard case .printed(let edition)? = book.edition else {
            Issue.record("\(String(describing: book.edition))")
            return
        }
        #expect(edition.binding == .unrecognized("leather"))
        #expect(response.status == 200)
        #expect(response.requestID == "r-1")
        #expect(response.headers.eTag == "\"7\"")

        let request = try #require(engine.requests.first)
        #expect(request.method == .get)
        #expect(request.target == "/v1/books/b%201%2F%C3%BC")
        #expect(request.fields[.accept] == "application/json, application/problem+json")
        #expect(request.fields[.authorization] == "Bearer t")
    }

    @Test func parametersStandInTheQuery() async throws {
        let engine = ScriptedEngine(.json(200, ["X-Total-Count": "12"], #"{"items":[],"nextCursor":null}"#))
        let response = try await BookshopClient.scripted(engine).books.withResponse.list(
            limit: 5, genre: [.selfHelp, .unrecognized("a&b")], q: "x+y z",
            publishedAfter: CalendarDate("2020-01-31"))
        #expect(
            engine.requests.first?.target
                == "/v1/books?limit=5&genre=self-help&genre=a%26b&q=x%2By%20z&publishedAfter=2020-01-31")
        #expect(response.headers.xTotalCount == 12)
        _ = try await BookshopClient.scripted(engine).books.list()
        #expect(engine.requests.last?.target == "/v1/books")
    }

    @Test func bodiesAreWrittenAndTheKeyIsMade() async throws {
        let engine = ScriptedEngine(.json(201, ["Location": "/books/b1"], Self.book))
        let api = BookshopClient.scripted(engine)
        let new = Bookshop.NewBook(
            title: "Emma", authors: [.init(name: "Jane Austen")], genre: .fiction,
            price: .init(amount: 1_250, currency: "EUR"),
            edition: .digital(.init(formats: [.epub])), subtitle: .null)
        let response = try await api.books.withResponse.create(new)
        #expect(response.headers.location == "/books/b1")
        _ = try await api.books.create(new, options: .init(idempotencyKey: "order-42"))
        _ = try await api.books.create(new)
        #expect(
            engine.requests[0].bodyText
                == #"{"title":"Emma","authors":[{"name":"Jane Austen"}],"genre":"fiction","price":{"amount":1250,"#
                + #""currency":"EUR"},"edition":{"kind":"digital","formats":["epub"]},"subtitle":null}"#)
        #expect(engine.requests[0].fields[.contentType] == "application/json")
        let keys = engine.requests.map { $0.fields[.idempotencyKey] ?? "" }
        #expect(keys[1] == "order-42")
        #expect(keys[0].utf8.count == 32 && keys[0] != keys[2])
    }

    @Test func aPatchTellsAbsentFromNull() async throws {
        let engine = ScriptedEngine(.json(200, Self.book))
        let api = BookshopClient.scripted(engine)
        _ = try await api.books.update(bookId: "b1", .init(subtitle: .null, title: "New"), ifMatch: "\"7\"")
        _ = try await api.books.update(bookId: "b1", .init())
        _ = try await api.books.update(
            bookId: "b1", .init(retiredAt: .value(Date(timeIntervalSince1970: 0)), subtitle: .value("")))
        #expect(
            engine.requests.map(\.bodyText) == [
                #"{"subtitle":null,"title":"New"}"#, "{}",
                #"{"retiredAt":"1970-01-01T00:00:00Z","subtitle":""}"#,
            ])
        #expect(engine.requests[0].method == .patch)
        #expect(engine.requests[0].fields["If-Match"] == "\"7\"")
        #expect(engine.requests[0].fields[.contentType] == "application/merge-patch+json")
        #expect(engine.requests[0].fields[.idempotencyKey] == nil)
        #expect(engine.requests[1].fields["If-Match"] == nil)
    }

    @Test func aBoxedValueReadsAndWrites() async throws {
        let id = try #require(UUID(uuidString: "0191E2C2-7B5A-7C3E-8F00-0123456789AB"))
        let address = #"{"name":"N","street":"S","city":"C","postalCode":"1","country":"DE"}"#
        let body =
            #"{"id":"0191e2c2-7b5a-7c3e-8f00-0123456789ab","status":"lost","lines":[],"shipTo":"# + address
            + #","billTo":null,"total":{"amount":1,"currency":"EUR"},"placedAt":"2024-01-01T00:00:00Z"}"#
        let engine = ScriptedEngine(.json(200, body), .json(201, body))
        let api = BookshopClient.scripted(engine)
        var order = try await api.orders.get(orderId: id)
        #expect(engine.requests[0].target == "/v1/orders/0191e2c2-7b5a-7c3e-8f00-0123456789ab")
        #expect(order.id == id)
        #expect(order.status == .unrecognized("lost"))
        #expect(order.shipTo.country == "DE")
        let copy = order
        order.shipTo.country = "AT"
        #expect(copy.shipTo.country == "DE" && order.shipTo.country == "AT")
        if case .null = order.billTo {} else { Issue.record("\(order.billTo)") }

        _ = try await api.orders.place(
            .init(lines: [.init(bookId: "b1", quantity: 2)], shipTo: copy.shipTo, metadata: ["a": [1, nil]]))
        #expect(
            engine.requests[1].bodyText
                == #"{"lines":[{"bookId":"b1","quantity":2}],"shipTo":"# + address
                + #","metadata":{"a":[1,null]}}"#)
    }

    @Test func anEmptySuccessIsVoid() async throws {
        let engine = ScriptedEngine(.status(204))
        try await BookshopClient.scripted(engine).books.delete(bookId: "b1")
        #expect(engine.requests.first?.method == .delete)
    }

    @Test func optionsReachTheRequestAndTheContext() async throws {
        let engine = ScriptedEngine(.json(200, #"{"status":"up"}"#))
        let api = BookshopClient.scripted(
            engine, defaults: .init(deadline: .seconds(9), fields: ["X-A": "default", "X-B": "b"]))
        let health = try await api.getHealth(options: .init(fields: ["X-A": "call"]))
        #expect(health.status == .up)
        #expect(engine.requests.first?.fields["X-A"] == "call")
        #expect(engine.requests.first?.fields["X-B"] == "b")
    }

    @Test(arguments: ["", ".", ".."]) func aPathParameterMustNotChangeTheResource(id: String) async throws {
        let engine = ScriptedEngine(.status(204))
        do {
            try await BookshopClient.scripted(engine).books.delete(bookId: id)
            Issue.record("sent")
        } catch {
            #expect(error.code == .invalidRequest)
            #expect(error.attempts == 0)
        }
        #expect(engine.requests.isEmpty)
    }

    @Test(arguments: ["", "api.test", "ftp://api.test", "https://user:pw@api.test", "https://api.test/?x=1"])
    func aServerThatIsNoURLIsALocalError(url: String) async throws {
        let engine = ScriptedEngine(.status(200))
        do {
            _ = try await BookshopClient.scripted(engine, server: .init(url: url)).getHealth()
            Issue.record("sent")
        } catch {
            #expect(error.code == .invalidURL)
            #expect(error.operation == "getHealth")
        }
        #expect(engine.requests.isEmpty)
    }

    @Test func aHeaderParameterCannotSmuggle() async throws {
        let engine = ScriptedEngine(.json(200, Self.book))
        do {
            _ = try await BookshopClient.scripted(engine).books.update(
                bookId: "b", .init(), ifMatch: "x\r\nX-Evil: 1")
            Issue.record("sent")
        } catch {
            #expect(error.code == .invalidRequest)
            #expect(!error.description.contains("Evil"))
        }
        #expect(engine.requests.isEmpty)
    }
}
