import FoundationEssentials
import GatewayClient
import GatewayTesting
import Testing

/// Responses in several media types.
@Suite struct MediaTypeTests {
    private func client(_ status: Int, _ type: String?, _ body: String) -> (ExportsClient, ScriptedEngine) {
        var fields = HTTPFields()
        fields[.contentType] = type
        let engine = ScriptedEngine(.status(status, fields: fields, body))
        return (ExportsClient(engine: engine), engine)
    }

    private func report(_ type: String?, _ body: String) async throws -> Exports.GetReportSuccess {
        try await client(200, type, body).0.getReport(id: "1")
    }

    @Test(arguments: ["application/json", "Application/JSON; charset=utf-8", "application/hal+json", nil])
    func jsonIsThePreferredType(type: String?) async throws {
        guard case .json(let report) = try await report(type, #"{"id":"7"}"#) else {
            throw NetworkError(.other, "The response was read as another type.")
        }
        #expect(report.id == "7")
    }

    @Test func eachTypeIsReadInItsWay() async throws {
        guard
            case .vndExportsSummaryJson(let summary) = try await report(
                "application/vnd.exports.summary+json", #"{"total":3}"#),
            case .csv(let text) = try await report("text/csv; header=present", "a,b"),
            case .bytes(let zip) = try await report("application/zip", "PK"),
            case .bytes(let image) = try await report("image/png", "PNG")
        else { throw NetworkError(.other, "A response was read as another type.") }
        #expect(summary.total == 3)
        #expect(text == "a,b")
        #expect(zip == Array("PK".utf8))
        #expect(image == Array("PNG".utf8))
    }

    @Test(arguments: ["application/xml", "text/html"])
    func aTypeThatIsNotDocumentedIsAnError(type: String) async {
        do {
            _ = try await client(200, type, "<a/>").0.getReport(id: "1")
            Issue.record("The response was read.")
        } catch {
            #expect(error.code == .decodingFailed)
        }
    }

    @Test func parametersTellTypesApart() async throws {
        func version(_ type: String, _ body: String) async throws -> Exports.GetVersionSuccess {
            try await client(200, type, body).0.getVersion()
        }
        guard case .ok(1) = try await version("application/json; version=1", "1"),
            case .okJson("b") = try await version(#"application/json; version="2""#, #""b""#),
            case .ok(3) = try await version("application/json", "3")
        else { throw NetworkError(.other, "A response was read as another type.") }
    }

    @Test func failuresAreReadByTheirType() async throws {
        func failure(_ status: Int, _ type: String, _ body: String) async throws -> Exports.GetReportFailure {
            do {
                _ = try await client(status, type, body).0.getReport(id: "1")
            } catch {
                if case .documented(let failure) = error.failure { return failure }
                throw error
            }
            throw NetworkError(.other, "The call succeeded.")
        }
        guard
            case .notFound(let problem) = try await failure(
                404, "application/problem+json", #"{"title":"Gone"}"#),
            case .notFoundText("gone") = try await failure(404, "text/plain", "gone"),
            case .other(500, let other) = try await failure(500, "application/json", #"{"code":5}"#),
            case .otherText(502, "bad") = try await failure(502, "text/plain; charset=utf-8", "bad")
        else { throw NetworkError(.other, "A failure was read as another type.") }
        #expect(problem.title == "Gone")
        #expect(other.code == 5)
    }

    @Test func anArgumentNarrowsAccept() async throws {
        let (all, first) = client(200, "application/zip", "PK")
        _ = try await all.getReport(id: "1")
        #expect(
            first.requests.first?.fields[.accept]
                == "application/json, application/vnd.exports.summary+json, text/csv, application/zip, application/problem+json, image/*;q=0.9, text/plain;q=0.5"
        )
        let (one, second) = client(200, "application/zip", "PK")
        _ = try await one.getReport(id: "1", accept: .zip)
        #expect(
            second.requests.first?.fields[.accept]
                == "application/zip, application/problem+json;q=0.5, text/plain;q=0.5, application/json;q=0.5"
        )
    }

    @Test func pagesAreJSON() async throws {
        let (client, engine) = client(200, "application/json", #"{"items":["a","b"]}"#)
        var items: [String] = []
        for try await item in client.listRowsAll() { items.append(item) }
        #expect(items == ["a", "b"])
        #expect(engine.requests.first?.fields[.accept] == "application/json")
        guard case .csv("a") = try await self.client(200, "text/csv", "a").0.listRows() else {
            throw NetworkError(.other, "The rows were read as another type.")
        }
    }

    @Test func aStreamIsAMethodOfItsOwn() async throws {
        let (client, engine) = client(200, "text/event-stream", "data: {\"done\":1}\n\n")
        for try await progress in client.runJobStream() { #expect(progress.done == 1) }
        #expect(engine.requests.first?.fields[.accept] == "text/event-stream")
        guard case .pdf = try await self.client(200, "application/pdf", "%PDF").0.runJob() else {
            throw NetworkError(.other, "The file was read as another type.")
        }
    }
}
