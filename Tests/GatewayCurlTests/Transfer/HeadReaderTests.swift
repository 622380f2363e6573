import GatewayCore
import GatewayTesting
import Testing

@testable import GatewayCurl

/// A head that repeats the one before is understood as any other.
@Suite struct HeadReaderTests {
    private static let limit = 4096

    /// What a reader makes of one response after another, as a fresh reader for each would.
    private func read(_ lines: [String], with reader: inout HeadReader, _ cache: FieldCache)
        -> (head: ResponseHead, events: [ResponseHead.Event])
    {
        reader.begin(room: HTTPFields())
        let events = lines.map { line in
            Array((line + "\r\n").utf8).withUnsafeBytes {
                reader.receive($0, limit: Self.limit, cache: cache)
            }
        }
        defer { reader.end() }
        return (reader.head, events)
    }

    private func expectSame(_ responses: [[String]], sourceLocation: SourceLocation = #_sourceLocation) {
        let cache = FieldCache()
        var reader = HeadReader()
        for (index, lines) in responses.enumerated() {
            var fresh = HeadReader()
            let expected = read(lines, with: &fresh, FieldCache())
            let actual = read(lines, with: &reader, cache)
            #expect(actual.events == expected.events, "response \(index)", sourceLocation: sourceLocation)
            #expect(actual.head.isComplete == expected.head.isComplete, sourceLocation: sourceLocation)
            guard expected.head.isComplete else { continue }
            #expect(actual.head.status == expected.head.status, sourceLocation: sourceLocation)
            #expect(actual.head.fields == expected.head.fields, sourceLocation: sourceLocation)
            #expect(actual.head.contentLength == expected.head.contentLength, sourceLocation: sourceLocation)
            #expect(actual.head.isCompressed == expected.head.isCompressed, sourceLocation: sourceLocation)
        }
    }

    private static let plain = ["HTTP/1.1 200 OK", "Content-Length: 5", "Date: now", "X-A: 1", ""]

    @Test(arguments: [
        [plain, plain, plain],
        [plain, ["HTTP/1.1 200 OK", "Content-Length: 5", "Date: later", "X-A: 1", ""], plain, plain],
        [plain, ["HTTP/1.1 404 Not Found", "Content-Length: 5", ""], plain],
        // One is the beginning of the other, and the other way round.
        [
            plain, ["HTTP/1.1 200 OK", "Content-Length: 5", ""], plain,
            ["HTTP/1.1 200 OK", "Content-Length: 5", ""],
        ],
        [["HTTP/1.1 103 Hints", "Link: x", "", "HTTP/1.1 200 OK", "A: b", ""], plain, plain],
        [["HTTP/1.1 200 OK", "Set-Cookie: a=b", ""], ["HTTP/1.1 200 OK", "Set-Cookie: a=b", ""], plain],
        [["HTTP/1.1 200 OK", "A: b", " c", ""], ["HTTP/1.1 200 OK", "A: b", " c", ""]],
        [plain, ["HTTP/1.1 200 OK", "no field"], plain],
        [plain + ["Trailer: 1"], plain + ["Trailer: 2"], plain],
        [plain, Array(plain.dropLast()), plain],
        [
            ["HTTP/1.1 200 OK", "Content-Encoding: gzip", ""],
            ["HTTP/1.1 200 OK", "Content-Encoding: gzip", ""], plain,
        ],
    ])
    func responsesAfterEachOther(responses: [[String]]) { expectSame(responses) }

    /// Any mixture of responses that share lines.
    @Test(arguments: 0..<SoakScale.rounds(5)) func anyMixture(seed: Int) {
        let random = SeededRandomSource(seed: TestSeed.value(UInt64(seed)))
        func pick(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }
        let fields = ["A: 1", "A: 2", "B: 1", "Content-Length: 3", "Set-Cookie: s=1", "Content-Encoding: br"]
        var responses: [[String]] = []
        for _ in 0..<40 {
            var lines = ["HTTP/1.1 20\(pick(3)) OK"]
            for _ in 0..<pick(4) { lines.append(fields[pick(fields.count)]) }
            responses.append(lines + [""])
        }
        expectSame(responses)
    }

    /// The limit of a head counts for one that repeats as well: it was within it the first time.
    @Test func aRepeatedHeadIsNoLargerThanTheFirst() {
        let fields = (0..<40).map { "X-\($0): " + String(repeating: "x", count: 100) }
        let long: [String] = ["HTTP/1.1 200 OK"] + fields + [""]
        expectSame([long, long])
    }
}
