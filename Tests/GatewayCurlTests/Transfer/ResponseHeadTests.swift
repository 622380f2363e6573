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
        let length = Array("content-length: 42 ".utf8).withUnsafeBytes { cache.field(on: $0) }
        #expect(length?.contentLength == 42)
    }
}
