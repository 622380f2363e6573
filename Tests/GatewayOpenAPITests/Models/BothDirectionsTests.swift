import GatewayClient
import Testing

/// `directions: both`, in the document Archive.
@Suite struct BothDirectionsTests {
    private func again<Model: JSONCodable>(_ type: Model.Type, _ text: String) throws -> String {
        String(decoding: try Model(jsonBytes: Array(text.utf8)).jsonBytes(), as: UTF8.self)
    }

    /// As a cache does.
    @Test func whatIsOnlyReceivedIsWritten() throws {
        let text = #"{"id":"e1","text":"a"}"#
        #expect(try again(Archive.Entry.self, text) == text)
        #expect(try again(Archive.Missing.self, #"{"reason":"b"}"#) == #"{"reason":"b"}"#)
        #expect(try again(Archive.Change.self, #"{"record":"c"}"#) == #"{"record":"c"}"#)
        // Only a service sends it, always with its ID.
        let id: String = try Archive.Entry(jsonBytes: Array(text.utf8)).id
        #expect(id == "e1")
    }

    /// As a fixture or a test server does.
    @Test func whatIsOnlySentIsRead() throws {
        let text = #"{"token":"t","text":"a"}"#
        #expect(try again(Archive.NewEntry.self, text) == text)
        #expect(try again(Archive.Form.self, #"{"name":"n"}"#) == #"{"name":"n"}"#)
        let token: String = try Archive.NewEntry(jsonBytes: Array(text.utf8)).token
        #expect(token == "t")
    }

    @Test func propertiesOfOneDirectionStay() throws {
        for text in [#"{"id":"r1"}"#, #"{"secret":"s"}"#, #"{"id":"r1","secret":"s"}"#] {
            #expect(try again(Archive.Record.self, text) == text)
        }
    }
}
