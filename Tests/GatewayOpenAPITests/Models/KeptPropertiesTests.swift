import Foundation
import GatewayClient
import GatewayTesting
import Testing

/// `unknownProperties: keep`, in the document Archive.
@Suite struct KeptPropertiesTests {
    private func again<Model: JSONCodable>(_ type: Model.Type, _ text: String) throws -> String {
        String(decoding: try Model(jsonBytes: Array(text.utf8)).jsonBytes(), as: UTF8.self)
    }

    private static let record =
        #"{"closed":{"x":"a"},"id":"r1","labels":{"main":"m","zz":"z"},"parent":{"id":"r0","p":[1.0]},"#
        + #""parts":[{"city":"C","size":1,"q":2e1}],"place":{"city":"D","zip":"0"},"#
        + #""shape":{"kind":"circle","radius":1.5,"colour":"red"},"title":null,"z":0.10,"a":{"y":1,"b":2}}"#

    @Test func nestedModelsBranchesAndMembersKeepThem() throws {
        #expect(try again(Archive.Record.self, Self.record) == Self.record)
        let record = try Archive.Record(jsonBytes: Array(Self.record.utf8))
        #expect(record.unknownProperties.names == ["z", "a"])
        #expect(record.parent?.unknownProperties["p"] == [.number(try #require(JSONNumber("1.0")))])
        #expect(record.parts?.first?.unknownProperties.names == ["q"])
        #expect(record.labels?.additionalProperties == ["zz": "z"])
        guard case .circle(let circle)? = record.shape else {
            Issue.record("another branch")
            return
        }
        #expect(circle.unknownProperties["colour"] == "red")
    }

    /// A branch that forbids them is taken only if no other fits.
    @Test(arguments: [#"{"a":"x","b":"y"}"#, #"{"a":"x","z":1}"#, #"{"a":"x","b":"y","z":1}"#, #"{"a":"x"}"#])
    func aBranchThatKeepsThemIsPreferred(text: String) throws {
        #expect(try again(Archive.Either.self, text) == text)
    }

    @Test func whatIsForbiddenIsDropped() throws {
        #expect(try again(Archive.Closed.self, #"{"x":"a","y":1}"#) == #"{"x":"a"}"#)
    }

    @Test func readModifyWrite() async throws {
        let engine = ScriptedEngine(.json(200, Self.record), .status(204))
        let client = ArchiveClient(engine: engine)
        var record = try await client.getRecord(id: "r1")
        record.title = .value("new")
        record.secret = "s"
        try await client.putRecord(id: "r1", record)
        let sent = try #require(engine.requests.last).bodyText
        let expected = Self.record.replacing(#""shape":"#, with: #""secret":"s","shape":"#)
            .replacing(#""title":null"#, with: #""title":"new""#)
        #expect(sent == expected)
    }

    @Test func failuresEventsAndWebhooksKeepThem() async throws {
        let engine = ScriptedEngine(
            .json(404, #"{"reason":"gone","code":7}"#),
            .status(200, "data: {\"id\":\"e1\",\"more\":[1]}\n\ndata: [DONE]\n\n"))
        let client = ArchiveClient(engine: engine)
        do throws(APIError<Archive.GetRecordFailure>) {
            _ = try await client.getRecord(id: "r1")
            Issue.record("found")
        } catch {
            guard case .documented(.notFound(let missing)) = error.failure else { throw error }
            #expect(missing.unknownProperties == ["code": 7])
        }
        var entries: [Archive.Entry] = []
        for try await entry in client.listEntries() { entries.append(entry) }
        #expect(entries == [Archive.Entry(id: "e1", unknownProperties: ["more": [1]])])
        let webhook = try Archive.Webhooks.parse(
            body: Array(#"{"record":"r1","by":"u"}"#.utf8), fields: [:], verifier: nil)
        guard case .recordChanged(let change) = webhook else {
            Issue.record("another webhook")
            return
        }
        #expect(change.unknownProperties == ["by": "u"])
    }

    /// After the others, in the form's usual style.
    @Test func formsSendThem() async throws {
        let engine = ScriptedEngine(.status(204))
        try await ArchiveClient(engine: engine).postForm(
            Archive.Form(name: "n", unknownProperties: ["b": "x y", "a": [1, 2], "o": ["k": true]]))
        let sent = try #require(engine.requests.last).bodyText
        #expect(sent == "name=n&b=x+y&a=1&a=2&o=%7B%22k%22%3Atrue%7D")
    }

    @Test func theyCompare() throws {
        let one = try Archive.Place(jsonBytes: Array(#"{"city":"C","x":1,"y":2}"#.utf8))
        let other = try Archive.Place(jsonBytes: Array(#"{"y":2,"x":1,"city":"C"}"#.utf8))
        #expect(one == other)
        #expect(Set([one, other]).count == 1)
        #expect(one != Archive.Place(city: "C", unknownProperties: ["x": 1]))
    }

    @Test func otherCodersKeepThem() throws {
        let record = try JSONDecoder().decode(Archive.Record.self, from: Data(Self.record.utf8))
        let data = try JSONEncoder().encode(record)
        #expect(try JSONDecoder().decode(Archive.Record.self, from: data) == record)
        #expect(record.unknownProperties.names.sorted() == ["a", "z"])
    }

    @Test func aPropertyIsNotSentTwice() async throws {
        let engine = ScriptedEngine(.status(204))
        do throws(APIError<Archive.PutRecordFailure>) {
            let record = Archive.Record(unknownProperties: ["id": "r2"])
            try await ArchiveClient(engine: engine).putRecord(id: "r1", record)
            Issue.record("sent")
        } catch {
            #expect(engine.requests.isEmpty)
        }
    }
}
