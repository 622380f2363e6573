import FoundationEssentials
import GatewayClient
import GatewayTesting
import Testing

/// Documented headers, of successes and of failures.
@Suite struct HeaderTests {
    private func headers(_ fields: HTTPFields) async throws -> Market.GetCrateHeaders {
        let market = MarketClient(engine: ScriptedEngine(.status(204, fields: fields)))
        return try await market.withResponse.getCrate(id: "1").headers
    }

    @Test func objectsAreReadByTheirStyle() async throws {
        let size = Market.Size(w: 3, exact: true, h: 1.5, unit: "1")
        let found = try await headers([
            "X-Size": "w,3,h,1.5,unit,1,exact,true", "X-Exploded": "w=3, h=1.5,unit=1 ,exact=true",
            "X-Map": "a=1,b=2", "X-Words": "a,1,b,x", "X-JSON": #"{"w":3,"h":1.5,"unit":"1","exact":true}"#,
            "X-XML": "<a/>", "X-List": "1, 2",
        ])
        #expect(found.xSize == size)
        #expect(found.xExploded == size)
        #expect(found.xJSON == size)
        #expect(found.xMap == ["a": 1, "b": 2])
        #expect(found.xWords == ["a": "1", "b": "x"])
        #expect(found.xXML == "<a/>")
        #expect(found.xList == [1, 2])
    }

    @Test(arguments: ["", "w", "w,x", "h,1", "w,1,w,2", "w=1", "w,1,exact,yes"])
    func whatIsNotOfTheTypeIsAbsent(text: String) async throws {
        let found = try await headers(["X-Size": text, "X-JSON": text])
        #expect(found.xSize == nil && found.xJSON == nil)
        #expect(found.fields["X-Size"] == text)
    }

    private func failure(
        _ reply: ScriptedTransport.Reply
    ) async throws -> APIError<Market.GetCrateFailure> {
        do {
            try await MarketClient(engine: ScriptedEngine(reply)).getCrate(id: "1")
        } catch {
            return error
        }
        throw NetworkError(.other, "The call succeeded.")
    }

    @Test func failuresHaveTheirs() async throws {
        let moved = try await failure(
            .json(404, ["X-Moved-To": "https://m.example/2"], #"{"title":"Gone"}"#))
        guard case .documented(let documented) = moved.failure else { throw moved }
        #expect(documented == .notFound(.init(title: "Gone")))
        #expect(moved.headers?.xMovedTo == "https://m.example/2")
        #expect(moved.headers?.retryAfter == nil)
        let busy = try await failure(.status(429, fields: ["Retry-After": "7", "X-Limits": "w=1"]))
        #expect(busy.headers?.retryAfter == 7)
        #expect(busy.headers?.xLimits == .init(w: 1))
        let other = try await failure(.status(500, fields: ["X-Why": "secret"]))
        #expect(other.status == 500)
        #expect(other.headers?.fields["X-Why"] == "secret")
        #expect(!"\(other)".contains("secret") && !String(reflecting: other).contains("secret"))
    }

    @Test func whereThereIsNoResponseThereAreNone() async throws {
        let refused = try await failure(.failure(NetworkError(.connectionRefused, "No.")))
        #expect(refused.headers == nil)
    }

    /// What others read anyway makes no type; it is among the fields.
    @Test func theUsualOnesMakeNoType() async throws {
        do {
            try await MarketClient(engine: ScriptedEngine(.status(429, fields: ["Retry-After": "7"]))).getLid(
                id: "1")
            Issue.record("answered")
        } catch {
            let headers: UndocumentedHeaders? = error.headers
            #expect(headers?.fields[.retryAfter] == "7")
        }
    }
}
