import Testing

@_spi(Generated) @testable import GatewayOpenAPI

/// The rules of WHATWG HTML, section 9.2.6, at every way to split the bytes.
@Suite struct ServerSentEventTests {
    private func events(_ text: String, split: Int? = nil) -> [ServerSentEvent] {
        var parser = ServerSentEventParser()
        var events: [ServerSentEvent] = []
        let bytes = Array(text.utf8)
        guard let split else {
            parser.read(bytes, into: &events)
            return events
        }
        parser.read(bytes[..<split], into: &events)
        parser.read(bytes[split...], into: &events)
        return events
    }

    private func event(
        _ data: String, type: String = "message", id: String = "", retry: Duration? = nil
    ) -> ServerSentEvent { ServerSentEvent(type: type, data: data, id: id, retry: retry) }

    @Test(arguments: ["\n", "\r", "\r\n"]) func splitAtEveryByte(end: String) {
        let text =
            "\u{FEFF}: hello\(end)event: add\(end)data: é1\(end)data:2\(end)id: 7\(end)\(end)data\(end)data\(end)\(end)"
            + "retry: 250\(end)data:  x\(end)\(end)data: lost"
        let expected = [
            event("é1\n2", type: "add", id: "7"), event("\n", id: "7"),
            event(" x", id: "7", retry: .milliseconds(250)),
        ]
        for split in 0...text.utf8.count { #expect(events(text, split: split) == expected, "at \(split)") }
    }

    @Test func whatIsNoEventIsNone() {
        #expect(events("").isEmpty)
        #expect(events("\n\n\n").isEmpty)
        #expect(events("event: x\n\n").isEmpty)
        #expect(events("unknown: x\ndata: 1\n\n") == [event("1")])
        #expect(events("id: a\u{0}b\nretry: 1x\ndata: 1\n\n") == [event("1")])
    }

    /// As one with NUL: it could not be sent back, or common servers would refuse it.
    @Test(arguments: ["\u{1B}[1m", "a\u{7F}", "\u{1}", String(repeating: "x", count: 1_025)])
    func anIDThatCannotBeSentBackIsIgnored(id: String) {
        #expect(
            events("id: 1\ndata: a\n\nid: \(id)\ndata: b\n\n") == [event("a", id: "1"), event("b", id: "1")])
    }

    @Test(arguments: ["", "é", "a\tb", String(repeating: "x", count: 1_024)])
    func anyOtherIDIsKept(id: String) {
        #expect(events("id: 1\nid: \(id)\ndata: b\n\n") == [event("b", id: id)])
    }

    /// WHATWG HTML, section 9.2.6: a line of data adds a line end to the buffer, which is then not empty.
    @Test(arguments: ["data\n\n", "data:\n\n", "data: \n\n"])
    func anEventWithEmptyDataIsOne(text: String) {
        #expect(events(text) == [event("")])
        #expect(events("event: x\nid: 1\n" + text) == [event("", type: "x", id: "1")])
        #expect(events("data\n" + text) == [event("\n")])
    }

    @Test func linesAndSequencesAreCut() {
        var lines = StreamCutter(.lines)
        var texts = lines.read(Array("{\"a\":1}\r\n\n {\"a\"".utf8)).map { $0.event.data }
        texts += lines.read(Array(":2}".utf8)).map { $0.event.data }
        texts += lines.finish().map { $0.event.data }
        #expect(texts == ["{\"a\":1}\r", " {\"a\":2}"])
        var sequence = StreamCutter(.sequence)
        var read = sequence.read(Array("\u{1E}1\n\u{1E}2\n".utf8))
        read += sequence.finish()
        #expect(read.map { $0.event.data } == ["1\n", "2\n"])
    }
}
