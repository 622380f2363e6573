import GatewayCore
import GatewayOpenAPI
import GatewayTesting
import Testing

/// Every way by which pages follow one another, through generated code.
@Suite struct PaginationKindTests {
    /// The items of a list and the targets that were asked for.
    private func walk<Page, Failure>(
        _ engine: ScriptedEngine, _ list: (HarbourClient.Lists) -> PagedItems<Page, Failure>
    ) async throws(APIError<Failure>) -> (ids: [String], targets: [String]) where Page._Item == Harbour.Ship {
        var ids: [String] = []
        for try await ship in list(Self.api(engine).lists) { ids.append(ship.id) }
        return (ids, engine.requests.map(\.target))
    }

    private static func api(_ engine: ScriptedEngine) -> HarbourClient {
        HarbourClient(server: .init(url: "https://h.test/v1"), engine: engine)
    }

    private static func ships(_ ids: String...) -> String {
        "[" + ids.map { #"{"id":"\#($0)"}"# }.joined(separator: ",") + "]"
    }

    @Test func stripesLastIDIsTheCursor() async throws {
        let (ids, targets) = try await walk(
            ScriptedEngine(
                .json(200, #"{"data":\#(Self.ships("1", "2")),"has_more":true}"#),
                .json(200, #"{"data":\#(Self.ships("3")),"has_more":false}"#))
        ) { $0.byStartingAfterAll(limit: 2) }
        #expect(ids == ["1", "2", "3"])
        #expect(
            targets == ["/v1/by-starting-after?limit=2", "/v1/by-starting-after?limit=2&starting_after=2"])
    }

    @Test func theLastIDThatAPageGivesIsTheCursor() async throws {
        let (ids, targets) = try await walk(
            ScriptedEngine(
                .json(200, #"{"data":\#(Self.ships("1")),"has_more":true,"last_id":"x/1"}"#),
                .json(200, #"{"data":\#(Self.ships("2")),"has_more":false,"last_id":"x/2"}"#))
        ) { $0.byAfterAll() }
        #expect(ids == ["1", "2"])
        #expect(targets == ["/v1/by-after", "/v1/by-after?after=x%2F1"])
    }

    @Test func aMarkerMayBeDeepInThePage() async throws {
        let (ids, targets) = try await walk(
            ScriptedEngine(
                .json(200, #"{"data":{"items":\#(Self.ships("1"))},"meta":{"next_marker":"m"}}"#),
                .json(200, #"{"data":{"items":\#(Self.ships("2"))},"meta":{"next_marker":""}}"#))
        ) { $0.byMarkerAll() }
        #expect(ids == ["1", "2"])
        #expect(targets == ["/v1/by-marker", "/v1/by-marker?marker=m"])
    }

    @Test func offsetsGoOnToTheTotal() async throws {
        let (ids, targets) = try await walk(
            ScriptedEngine(
                .json(200, #"{"entries":\#(Self.ships("1", "2")),"total_count":3}"#),
                .json(200, #"{"entries":\#(Self.ships("3")),"total_count":3}"#))
        ) { $0.byOffsetAll(limit: 2) }
        #expect(ids == ["1", "2", "3"])
        #expect(targets == ["/v1/by-offset?limit=2", "/v1/by-offset?limit=2&offset=2"])
    }

    @Test func offsetsWithoutATotalEndWithAnEmptyPage() async throws {
        let (ids, targets) = try await walk(
            ScriptedEngine(
                .json(200, Self.ships("1", "2")), .json(200, Self.ships("3")), .json(200, "[]"))
        ) { $0.byOffsetOfArrayAll(offset: 10) }
        #expect(ids == ["1", "2", "3"])
        #expect(targets == [10, 12, 13].map { "/v1/by-offset-of-array?offset=\($0)" })
    }

    @Test func pagesAreNumbered() async throws {
        let (ids, targets) = try await walk(
            ScriptedEngine(
                .json(200, #"{"ships":\#(Self.ships("1")),"pagination":{"total_pages":2}}"#),
                .json(200, #"{"ships":\#(Self.ships("2")),"pagination":{"total_pages":2}}"#))
        ) { $0.byNumberAll() }
        #expect(ids == ["1", "2"])
        #expect(targets == ["/v1/by-number", "/v1/by-number?page=2"])
    }

    @Test func aLinkHeaderLeadsOn() async throws {
        let (ids, targets) = try await walk(
            ScriptedEngine(
                .json(
                    200,
                    [
                        "Link":
                            #"<https://h.test/v1/by-link?page=1>; rel="prev", <?page=3&a=b>; rel="next last""#
                    ],
                    Self.ships("1")),
                .json(200, ["Link": #"<https://h.test/v1/by-link?page=1>; rel=first"#], Self.ships("2")))
        ) { $0.byLinkAll(perPage: 1) }
        #expect(ids == ["1", "2"])
        #expect(targets == ["/v1/by-link?per_page=1", "/v1/by-link?page=3&a=b"])
    }

    @Test func aURLInThePageLeadsOn() async throws {
        let (ids, targets) = try await walk(
            ScriptedEngine(
                .json(
                    200,
                    #"{"droplets":\#(Self.ships("1")),"links":{"pages":{"next":"https://h.test/v1/by-url?page=2"}}}"#
                ),
                .json(200, #"{"droplets":\#(Self.ships("2")),"links":{"pages":{}}}"#))
        ) { $0.byURLAll() }
        #expect(ids == ["1", "2"])
        #expect(targets == ["/v1/by-url", "/v1/by-url?page=2"])
    }

    @Test func aURIOfThePathAloneLeadsOn() async throws {
        let (ids, targets) = try await walk(
            ScriptedEngine(
                .json(200, #"{"ships":\#(Self.ships("1")),"next_page_uri":"/v1/by-uri?PageToken=a%20b"}"#),
                .json(200, #"{"ships":\#(Self.ships("2")),"next_page_uri":null}"#))
        ) { $0.byURIAll() }
        #expect(ids == ["1", "2"])
        #expect(targets == ["/v1/by-uri", "/v1/by-uri?PageToken=a%20b"])
    }

    @Test(arguments: [
        "https://evil.test/v1/by-uri", "http://h.test/v1/by-uri", "https://h.test:8443/v1/by-uri",
        "//evil.test/",
        #"https:\/\/evil.test"#, "HTTPS://EVIL.test/",
    ])
    func aPageOfAnotherOriginIsRefused(url: String) async throws {
        let engine = ScriptedEngine(.json(200, #"{"ships":\#(Self.ships("1")),"next_page_uri":"\#(url)"}"#))
        var iterator = Self.api(engine).lists.byURIAll().makeAsyncIterator()
        #expect(try await iterator.next()?.id == "1")
        do throws(APIError<Harbour.ByURIFailure>) {
            _ = try await iterator.next()
            Issue.record("asked")
        } catch {
            #expect(error.code == .foreignPage)
            #expect(error.operation == "byURI")
        }
        #expect(try await iterator.next() == nil)
        #expect(engine.requests.count == 1)
    }

    @Test(arguments: ["ftp://h.test/", "https://user@h.test/", "\\u0000"])
    func aURLThatIsNoneIsRefused(url: String) async throws {
        let engine = ScriptedEngine(.json(200, #"{"ships":[],"next_page_uri":"\#(url)"}"#))
        do throws(APIError<Harbour.ByURIFailure>) {
            for try await _ in Self.api(engine).lists.byURIAll() {}
            Issue.record("asked")
        } catch {
            #expect(error.code == .invalidURL)
        }
        #expect(engine.requests.count == 1)
    }

    @Test func pagesThatDoNotMoveEndWithAnError() async throws {
        let engine = ScriptedEngine(.json(200, Self.ships("1")))
        var ids: [String] = []
        do throws(APIError<Harbour.ByOffsetOfArrayFailure>) {
            for try await ship in Self.api(engine).lists.byOffsetOfArrayAll() { ids.append(ship.id) }
            Issue.record("ended")
        } catch {
            #expect(error.code == .repeatedPage)
        }
        #expect(ids == ["1"])
        #expect(engine.requests.count == 2)
    }

    @Test func everyKindResumes() async throws {
        let url = ScriptedEngine { request, _ in
            request.target.contains("PageToken")
                ? .json(200, #"{"ships":\#(Self.ships("2"))}"#)
                : .json(200, #"{"ships":\#(Self.ships("1")),"next_page_uri":"/v1/by-uri?PageToken=a"}"#)
        }
        let list = Self.api(url).lists.byURIAll()
        var tokens: [String?] = []
        for try await page in list.pages { tokens.append(page.resumeToken) }
        #expect(tokens == ["/v1/by-uri?PageToken=a", nil])
        var ids: [String] = []
        for try await ship in list.resumed(from: tokens[0]) { ids.append(ship.id) }
        #expect(ids == ["2"])

        let offset = ScriptedEngine(.json(200, #"{"entries":\#(Self.ships("9")),"total_count":3}"#))
        for try await page in Self.api(offset).lists.byOffsetAll(limit: 2).resumed(from: "2").pages {
            #expect(page.resumeToken == nil)
        }
        #expect(offset.requests.map(\.target) == ["/v1/by-offset?limit=2&offset=2"])
    }

    /// A token that somebody stored may have been tampered with.
    @Test func aForeignTokenSendsNothing() async throws {
        let engine = ScriptedEngine(.json(200, #"{"ships":[]}"#))
        do throws(APIError<Harbour.ByURIFailure>) {
            for try await _ in Self.api(engine).lists.byURIAll().resumed(from: "https://evil.test/") {}
            Issue.record("asked")
        } catch {
            #expect(error.code == .foreignPage)
        }
        #expect(engine.requests.isEmpty)
    }

    @Test func pagesAreLimited() async throws {
        let engine = ScriptedEngine { _, index in .json(200, Self.ships("\(index)")) }
        var ids: [String] = []
        for try await ship in Self.api(engine).lists.byOffsetOfArrayAll().limited(toPages: 3) {
            ids.append(ship.id)
        }
        #expect(ids.count == 3)
        #expect(engine.requests.count == 3)
    }

    @Test func aCancelledTaskAsksForNoPage() async throws {
        let engine = ScriptedEngine(.json(200, Self.ships("1")))
        let list = Self.api(engine).lists.byOffsetOfArrayAll()
        let task = Task { () -> NetworkError.Code? in
            withUnsafeCurrentTask { unsafe $0?.cancel() }
            do {
                for try await _ in list {}
                return nil
            } catch {
                return (error as? any GatewayCallError)?.code
            }
        }
        #expect(await task.value == .cancelled)
        #expect(engine.requests.isEmpty)
    }
}
