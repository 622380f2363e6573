import Testing

@testable import GatewayAuth

/// The head of a request from a browser.
@Suite struct RedirectRequestTests {
    private static func head(_ line: String, filler: Int = 0) -> [UInt8] {
        Array("\(line)\r\nCookie: \(String(repeating: "x", count: filler))\r\n\r\n".utf8)
    }

    @Test func aHeadIsReadAsItArrives() {
        let head = Self.head("GET /cb?code=1&state=%20 HTTP/1.1")
        for step in [1, 7, head.count - 1] {
            var request = RedirectRequest()
            for start in stride(from: 0, to: head.count, by: step) {
                let end = min(start + step, head.count)
                let progress = request.append(head[start..<end])
                #expect((progress == .complete) == (end == head.count))
            }
            #expect(request.query(for: "/cb") == "code=1&state=%20")
        }
    }

    @Test func aHeadThatIsTooLargeIsTold() {
        let line = "GET /cb?code=1 HTTP/1.1"
        let rest = Self.head(line).count
        for (count, expected) in [
            (RedirectRequest.maximumBytes, .complete),
            (RedirectRequest.maximumBytes + 1, .tooLarge), (1 << 20, .tooLarge),
        ] as [(Int, RedirectRequest.Progress)] {
            let head = Self.head(line, filler: count - rest)
            var request = RedirectRequest()
            let progress = request.append(head[...])
            #expect(head.count == count && progress == expected)
            #expect(request.query(for: "/cb") == "code=1")
        }
        // The request line alone is too large: nothing is known of it.
        let head = Self.head("GET /cb?code=" + String(repeating: "x", count: 20_000) + " HTTP/1.1")
        var request = RedirectRequest()
        let progress = request.append(head[...])
        #expect(progress == .tooLarge && request.query(for: "/cb") == nil)
    }

    @Test(arguments: [
        "POST /cb?a=b HTTP/1.1", "GET /cb HTTP/1.1", "GET /other?a=b HTTP/1.1", "GET  /cb?a=b", "",
        "GET /cb?a=b c HTTP/1.1",
    ])
    func onlyTheRightRequestHasAQuery(line: String) {
        var request = RedirectRequest()
        let progress = request.append(Self.head(line)[...])
        #expect(progress == .complete && request.query(for: "/cb") == nil)
    }

    @Test func aLineThatIsNotTextHasNoQuery() {
        let head = Array("GET /cb?code=".utf8) + [0xFF] + Self.head(" HTTP/1.1")
        var request = RedirectRequest()
        let progress = request.append(head[...])
        #expect(progress == .complete && request.query(for: "/cb") == nil)
    }
}
