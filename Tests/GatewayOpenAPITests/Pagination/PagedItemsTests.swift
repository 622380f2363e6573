import GatewayCore
import GatewayOpenAPI
import GatewayTesting
import Testing

@Suite struct PagedItemsTests {
    private static func page(_ ids: [Int], next: String?) -> ScriptedTransport.Reply {
        let books = ids.map {
            #"{"id":"\#($0)","title":"T","authors":[],"genre":"fiction","price":{"amount":1,"currency":"EUR"},"#
                + #""createdAt":"2024-01-01T00:00:00Z","retiredAt":null}"#
        }
        let cursor = next.map { #","nextCursor":"\#($0)""# } ?? ""
        return .json(200, "{\"items\":[\(books.joined(separator: ","))]\(cursor)}")
    }

    @Test func itemsOfAllPagesComeInOrder() async throws {
        let engine = ScriptedEngine(
            Self.page([1, 2], next: "c&1"), Self.page([], next: "c2"), Self.page([3], next: nil))
        var ids: [String] = []
        for try await book in BookshopClient.scripted(engine).books.listAll(limit: 2, q: "x") {
            ids.append(book.id)
        }
        #expect(ids == ["1", "2", "3"])
        #expect(
            engine.requests.map(\.target) == [
                "/v1/books?limit=2&q=x", "/v1/books?limit=2&q=x&cursor=c%261",
                "/v1/books?limit=2&q=x&cursor=c2",
            ])
    }

    @Test func pagesAreFetchedWhenAskedFor() async throws {
        let engine = ScriptedEngine(Self.page([1, 2], next: "c1"), Self.page([3], next: nil))
        for try await book in BookshopClient.scripted(engine).books.listAll() where book.id == "2" { break }
        #expect(engine.requests.count == 1)
    }

    @Test func aTokenResumes() async throws {
        let engine = ScriptedEngine(Self.page([1], next: "c1"), Self.page([2], next: nil))
        let api = BookshopClient.scripted(engine)
        var token: String?
        for try await page in api.books.listAll().pages {
            token = page.resumeToken
            break
        }
        #expect(token == "c1")
        var ids: [String] = []
        for try await page in api.books.listAll(cursor: token).pages {
            ids += page.items.map(\.id)
            #expect(page.resumeToken == nil)
        }
        #expect(ids == ["2"])
        #expect(engine.requests.last?.target == "/v1/books?cursor=c1")
    }

    @Test func aRepeatedCursorStops() async throws {
        let same = ScriptedEngine(Self.page([1], next: "c"))
        #expect(try await Self.itemsBeforeTheRepetition(BookshopClient.scripted(same).books.listAll()) == 2)
        #expect(same.requests.count == 2)

        let circle = ScriptedEngine { _, index in Self.page([index], next: "c\(index % 3)") }
        let list = BookshopClient.scripted(circle).books.listAll(cursor: "c2")
        #expect(try await Self.itemsBeforeTheRepetition(list) == 3)
    }

    private static func itemsBeforeTheRepetition(
        _ list: PagedItems<Bookshop.BookPage, Bookshop.ListBooksFailure>
    ) async throws -> Int {
        var count = 0
        do throws(APIError<Bookshop.ListBooksFailure>) {
            for try await _ in list { count += 1 }
        } catch {
            #expect(error.code == .repeatedPage)
            return count
        }
        Issue.record("ended")
        return count
    }

    @Test func errorsAreTypedAndEndTheList() async throws {
        let engine = ScriptedEngine(
            Self.page([1], next: "c1"), .json(422, #"{"title":"t","status":422,"violations":[]}"#))
        var iterator = BookshopClient.scripted(engine).books.listAll().makeAsyncIterator()
        #expect(try await iterator.next()?.id == "1")
        do throws(APIError<Bookshop.ListBooksFailure>) {
            _ = try await iterator.next()
            Issue.record("succeeded")
        } catch {
            guard case .documented(.unprocessableContent) = error.failure else {
                Issue.record("\(error)")
                return
            }
        }
        #expect(try await iterator.next() == nil)
        #expect(engine.requests.count == 2)
    }
}
