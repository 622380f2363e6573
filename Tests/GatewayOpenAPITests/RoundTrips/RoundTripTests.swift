import Foundation
import GatewayClient
import GatewayJSON
import GatewayTesting
import Testing

/// Cases that scripts/round-trips.sh has judged, by jsonschema, the standard's tables and openapi-core:
///
///     scripts/round-trips.sh --record Tests/GatewayOpenAPITests/Fixtures/Shapes.jsonl \
///         Tests/GatewayOpenAPITests/Shapes.openapi.yaml
///     scripts/round-trips.sh --unknown-properties --record Tests/GatewayOpenAPITests/Fixtures/Archive.jsonl \
///         Tests/GatewayOpenAPITests/Archive.openapi.yaml
@Suite struct RoundTripTests {
    private struct Case: Sendable, CustomTestStringConvertible {
        let json: JSONValue

        var testDescription: String { (json["type"] ?? json["call"])?.string ?? "" }

        func text(_ name: String) throws -> String { try #require(json[name]?.string) }
    }

    private static let cases = cases(of: "Shapes")

    private static func cases(of document: String) -> [Case] {
        guard let url = Bundle.module.url(forResource: "Fixtures/\(document)", withExtension: "jsonl"),
            let text = try? String(contentsOf: url, encoding: .utf8)
        else { return [] }
        return text.split(separator: "\n").compactMap { line in
            (try? JSONValue(jsonBytes: Array(line.utf8))).map { Case(json: $0) }
        }
    }

    private static var models: [Case] { cases.filter { $0.json["type"] != nil } }
    /// Models that keep unknown properties.
    private static let keepers = cases(of: "Archive").filter { $0.json["type"] != nil }
    private static var calls: [Case] { cases.filter { $0.json["call"] != nil } }

    private static func type(_ name: String) -> (any (JSONDecodable & JSONEncodable).Type)? {
        let types: [String: any (JSONDecodable & JSONEncodable).Type] = [
            "Base": Shapes.Base.self, "Car": Shapes.Car.self, "Circle": Shapes.Circle.self,
            "Colour": Shapes.Colour.self, "Everything": Shapes.Everything.self, "Filter": Shapes.Filter.self,
            "Form": Shapes.Form.self, "Node": Shapes.Node.self, "Shape": Shapes.Shape.self,
            "Square": Shapes.Square.self, "Taxi": Shapes.Taxi.self, "TextOrList": Shapes.TextOrList.self,
            "Vehicle": Shapes.Vehicle.self,
        ]
        return types[name]
    }

    @Test func casesAreThere() {
        #expect(Self.models.count > 30)
        #expect(Self.calls.count > 14)
        #expect(Self.keepers.count > 60)
        #expect(Self.keepers.contains { $0.json["json"]?.string?.contains("~unknownProperties") == true })
    }

    @Test(arguments: models) private func modelsComeBackAsTheyWere(_ one: Case) throws {
        let type = try #require(Self.type(try one.text("type")))
        #expect(try again(type, try one.text("json")) == one.text("written"))
    }

    @Test(arguments: keepers) private func unknownPropertiesComeBack(_ one: Case) throws {
        let types: [String: any (JSONDecodable & JSONEncodable).Type] = [
            "Change": Archive.Change.self, "Circle": Archive.Circle.self, "Closed": Archive.Closed.self,
            "Either": Archive.Either.self, "Entry": Archive.Entry.self, "Form": Archive.Form.self,
            "Labels": Archive.Labels.self,
            "Missing": Archive.Missing.self, "NewEntry": Archive.NewEntry.self, "Part": Archive.Part.self,
            "Place": Archive.Place.self, "Record": Archive.Record.self, "Shape": Archive.Shape.self,
            "Square": Archive.Square.self,
        ]
        let type = try #require(types[try one.text("type")])
        #expect(try again(type, try one.text("json")) == one.text("written"))
    }

    private func again<Model: JSONDecodable & JSONEncodable>(
        _ type: Model.Type, _ text: String
    ) throws -> String {
        String(decoding: try Model(jsonBytes: Array(text.utf8)).jsonBytes(), as: UTF8.self)
    }

    @Test(arguments: calls) private func callsSayTheSame(_ one: Case) async throws {
        let status = try #require(one.json["status"]?.int)
        let engine = ScriptedEngine(
            .response(
                status: status, fields: [.contentType: "application/json"],
                body: Array(try one.text("answer").utf8)))
        let client = ShapesClient(engine: engine)
        let arguments = Arguments(json: try JSONValue(jsonBytes: Array(one.text("arguments").utf8)))
        let result = try await call(one.text("call"), client, arguments)
        let request = try #require(engine.requests.first)
        #expect(try request.target == one.text("target"))
        #expect(try request.bodyText == one.text("body"))
        for field in request.fields where field.name != .idempotencyKey {
            #expect(one.json["fields"]?["\(field.name)"] == .string(field.value))
        }
        #expect(try result == one.text("result"))
    }

    /// Makes a call, and writes what it gives or fails with.
    private func call(
        _ name: String, _ client: ShapesClient, _ arguments: Arguments
    ) async throws -> String {
        switch name {
        case "PUT /everything":
            let body: Shapes.Everything = try arguments.required("body")
            do throws(APIError<Shapes.PutEverythingFailure>) {
                return written(try await client.putEverything(body))
            } catch {
                guard case .documented(.conflict(let node)) = error.failure else { throw error }
                return written(node)
            }
        case "GET /places/{name}/{ids}":
            return try await place(client, arguments)
        case "POST /forms":
            return written(try await client.postForm(try arguments.required("body")))
        case "POST /texts":
            return try await client.renderText(try arguments.optional("body"))
        case "POST /texts, markdown":
            return try await client.renderText(markdown: try arguments.required("body"))
        default:
            Issue.record("There is no operation \(name).")
            return ""
        }
    }

    private func place(_ client: ShapesClient, _ arguments: Arguments) async throws -> String {
        let name: String = try arguments.required("name")
        let ids: [Int] = try arguments.required("ids")
        let filter: Shapes.Filter? = try arguments.optional("filter")
        let since: Date? = try arguments.optional("since")
        let document: Shapes.Filter? = try arguments.optional("document")
        let tags: [String]? = try arguments.optional("tags")
        let joined: [String]? = try arguments.optional("joined")
        let piped: [String]? = try arguments.optional("piped")
        let ratio: Double? = try arguments.optional("ratio")
        let trace: String? = try arguments.optional("xTrace")
        let levels: [Int]? = try arguments.optional("xLevels")
        let session: String? = try arguments.optional("session")
        do throws(APIError<Shapes.GetPlaceFailure>) {
            return written(
                try await client.getPlace(
                    name: name, ids: ids, tags: tags, joined: joined, piped: piped, filter: filter,
                    since: since, ratio: ratio, document: document, xTrace: trace, xLevels: levels,
                    session: session))
        } catch {
            guard case .documented(.other(_, let node)) = error.failure else { throw error }
            return written(node)
        }
    }

    private func written(_ model: some JSONEncodable) -> String {
        (try? model.jsonBytes()).map { String(decoding: $0, as: UTF8.self) } ?? "unwritable"
    }
}

/// The arguments of a call, by their Swift names.
private struct Arguments {
    let json: JSONValue

    func optional<Value: JSONDecodable>(_ name: String) throws -> Value? {
        guard let value = json[name] else { return nil }
        return try Value(jsonBytes: value.jsonBytes())
    }

    func required<Value: JSONDecodable>(_ name: String) throws -> Value {
        try #require(try optional(name) as Value?)
    }
}
