import GatewayCore
import GatewayCurl
import GatewayTesting
import Testing

/// Compressed content as real servers make it.
@Suite(.needsHTTPBin, .needsNginx)
struct EncodingTests {
    private let httpbin = Counterparts.httpbin ?? ""
    private let compressed = (Counterparts.nginx ?? "") + "/gzip/text.txt"

    @Test(arguments: [
        ("gzip", "gzipped", "gzip"), ("deflate", "deflated", "deflate"), ("brotli", "brotli", "br"),
    ])
    func encodings(path: String, key: String, coding: String) async throws {
        let transport = trusting { $0.acceptsCompression = true }
        let offered =
            try await transport.send(.get, httpbin + "/headers").echoedFields()["accept-encoding"] ?? ""
        #expect(offered == "gzip, deflate")
        guard offered.contains(coding) else {
            let error = await failure { () throws(NetworkError) in
                try await transport.send(.get, httpbin + "/" + path)
            }
            return #expect(error?.code == .malformedResponse)
        }
        let response = try await transport.send(.get, httpbin + "/" + path)
        #expect(try response.json()[key] as? Bool == true)
        #expect(response.fields["Content-Encoding"] == nil && response.fields[.contentLength] == nil)

        let raw = try await trusting().send(.get, httpbin + "/" + path)
        #expect(raw.fields["Content-Encoding"] == coding && raw.text.first != "{")
    }

    @Test func compressedOnTheWay() async throws {
        let transport = trusting { $0.acceptsCompression = true }
        let text = try Counterparts.file("text.txt")
        let request = try HTTPRequest(.get, compressed)
        var context = RequestContext()
        let times = EventRecorder()
        context.events = times
        let response = try await transport.send(request, context: context)
        #expect(response.body.bytes == text && response.fields["Content-Encoding"] == nil)
        // It did travel compressed.
        guard case .exchanged(let timings)? = times.events.last?.kind else { return #expect(Bool(false)) }
        #expect(timings.receivedBytes < Int64(text.count / 10))

        var streamed: [UInt8] = []
        for try await chunk in try await transport.stream(.get, compressed).body { streamed += chunk }
        #expect(streamed == text)
        let plain = try await trusting().send(.get, compressed)
        #expect(plain.body.bytes == text && plain.fields["Content-Encoding"] == nil)
    }

    @Test func theLimitCountsWhatComesOutOfIt() async throws {
        let transport = trusting { $0.acceptsCompression = true }
        let size = try Counterparts.file("text.txt").count
        let error = await failure { () throws(NetworkError) in
            try await transport.send(.get, compressed, limit: size - 1)
        }
        #expect(error?.code == .responseTooLarge)
        #expect(try await transport.send(.get, compressed, limit: size).body.bytes?.count == size)
    }
}
