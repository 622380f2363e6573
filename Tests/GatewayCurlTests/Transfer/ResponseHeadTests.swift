import GatewayCore
import Testing

@testable import GatewayCurl

@Suite struct ResponseHeadTests {
    private func receive(_ lines: [String], limit: Int = 1000) -> (ResponseHead, ResponseHead.Event) {
        var head = ResponseHead()
        var event = ResponseHead.Event.more
        let cache = FieldCache()
        for line in lines {
            event = Array((line + "\r\n").utf8).withUnsafeBytes {
                head.receive($0, limit: limit, cache: cache)
            }
        }
        return (head, event)
    }

    @Test(arguments: ["HTTP/1.1 200 OK", "HTTP/1.1 200", "HTTP/2 200 ", "HTTP/1.0 200 Very Fine"])
    func statusLines(line: String) {
        let (head, event) = receive([line, ""])
        #expect(head.status == 200 && head.isComplete && event == .complete)
    }

    @Test(arguments: ["HTTP/1.1", "HTTP/1.1 20", "HTTP/1.1 2x0 OK", "ICY 200 OK", "HTTP/1.1 099 X", ""])
    func nonsenseIsRefused(line: String) { #expect(receive([line]).1 == .malformed) }

    @Test(arguments: ["no colon", ": no name", " continues nothing"])
    func nonsenseFieldsAreRefused(line: String) {
        #expect(receive(["HTTP/1.1 200 OK", line]).1 == .malformed)
    }

    @Test func theLimitCountsEveryLine() {
        let lines = ["HTTP/1.1 200 OK", "A: 12345", "", "Trailer: 1"]
        let size = lines.reduce(0) { $0 + $1.utf8.count + 2 }
        #expect(receive(lines, limit: size).1 == .more)
        #expect(receive(lines, limit: size - 1).1 == .tooLarge)
        #expect(receive(["HTTP/1.1 103 Hints", "", "HTTP/1.1 103 Hints", ""], limit: 30).1 == .tooLarge)
    }

    private func receive(bytes lines: [[UInt8]]) -> ResponseHead {
        var head = ResponseHead()
        let cache = FieldCache()
        for line in [Array("HTTP/1.1 200 OK".utf8)] + lines {
            _ = (line + [0x0D, 0x0A]).withUnsafeBytes { head.receive($0, limit: 1000, cache: cache) }
        }
        return head
    }

    @Test func bytesThatAreNotUTF8AreKept() throws {
        let all = Array(UInt8(0x80)...0xFF)
        let latin = receive(bytes: [Array("Location: /caf".utf8) + [0xE9], Array("X-All: ".utf8) + all])
        #expect(latin.fields[.location] == "/caf\u{E9}")
        #expect(latin.fields.first?.bytes == Array("/caf".utf8) + [0xE9])
        #expect(latin.fields.first?.reference == "/caf%E9")
        #expect(latin.fields.last?.bytes == all)
        let utf8 = receive(bytes: [Array("Location: /caf\u{E9}".utf8)])
        #expect(utf8.fields[.location] == "/caf\u{E9}")
        #expect(utf8.fields.first != latin.fields.first)
    }

    @Test func foldedBytesAreKept() {
        let head = receive(bytes: [Array("A: ".utf8) + [0xE9], [0x20, 0xC3, 0xA9, 0x09]])
        #expect(head.fields.last?.bytes == [0xE9, 0x20, 0xC3, 0xA9])
        let both = receive(bytes: [Array("A: \u{E9}".utf8), Array(" \u{E9}".utf8)])
        #expect(both.fields[HTTPField.Name("A")] == "\u{E9} \u{E9}")
        // Half of a character on each line: the space between them makes it none.
        let halves = receive(bytes: [Array("A: ".utf8) + [0xC3], [0x20, 0xA9]])
        #expect(halves.fields.last?.bytes == [0xC3, 0x20, 0xA9])
    }

    /// The cache changes nothing: the same lines twice, and lines that share a place.
    @Test func rememberedLinesAreTheSameLines() {
        let cache = FieldCache()
        for round in 0..<2 {
            for number in 0..<2_000 {
                let line = "X-Number-\(number % 7): \(number)"
                let entry = Array(line.utf8).withUnsafeBytes { cache.field(on: $0) }
                #expect(entry?.field.name.rawName == "X-Number-\(number % 7)")
                #expect(entry?.field.value == "\(number)", "round \(round)")
            }
        }
        for name in ["Set-Cookie", "X-Auth-Token", "Authentication-Info", "Location", "WWW-Authenticate"] {
            let entry = Array("\(name): x".utf8).withUnsafeBytes { cache.field(on: $0) }
            #expect(entry?.mayBeSecret == true)
        }
        let length = Array("content-length: 42 ".utf8).withUnsafeBytes { cache.field(on: $0) }
        #expect(length?.contentLength == 42)
    }
}
