import Foundation
import GatewayCore
import GatewayCurl
import GatewayTesting
import Testing

/// Content in both directions: whole, in parts, and in pieces.
@Suite(.needsHTTPBin, .needsNginx)
struct ContentTests {
    private let httpbin = Counterparts.httpbin ?? ""
    private let nginx = Counterparts.nginx ?? ""

    @Test(arguments: [CurlConfiguration.HTTPVersion.http1, .http2])
    func aLargeFile(version: CurlConfiguration.HTTPVersion) async throws {
        let url = (Counterparts.nginxTLS ?? "") + "/files/large.bin"
        let transport = trusting { $0.httpVersion = version }
        let file = try Counterparts.file("large.bin")
        let collected = try await transport.send(.get, url, limit: file.count)
        #expect(collected.body.bytes == file)
        #expect(collected.fields["X-Protocol"] == (version == .http2 ? "HTTP/2.0" : "HTTP/1.1"))
        var streamed: [UInt8] = []
        for try await chunk in try await transport.stream(.get, url).body { streamed += chunk }
        #expect(streamed == file)
        if version == .http2 {
            let error = await failure { () throws(NetworkError) in
                try await transport.send(.get, url, limit: file.count - 1)
            }
            #expect(error?.code == .responseTooLarge)
        }
        let head = try await transport.send(.head, url)
        #expect(head.fields[.contentLength] == "\(file.count)" && head.text.isEmpty)
    }

    @Test func parts() async throws {
        let transport = CurlTransport()
        let file = try Counterparts.file("large.bin")
        let url = nginx + "/files/large.bin"
        for range in [0..<1, 1_000_000..<2_000_000, (file.count - 10)..<file.count] {
            let part = try await transport.send(
                .get, url, fields: ["Range": "bytes=\(range.lowerBound)-\(range.upperBound - 1)"])
            #expect(part.status == 206 && part.body.bytes == Array(file[range]))
            #expect(
                part.fields["Content-Range"]
                    == "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(file.count)")
        }
        let beyond = try await transport.send(.get, url, fields: ["Range": "bytes=\(file.count)-"])
        #expect(beyond.status == 416)
        let letters = try await transport.send(.get, httpbin + "/range/26", fields: ["Range": "bytes=3-6"])
        #expect(letters.status == 206 && letters.text == "defg")
    }

    @Test func pieces() async throws {
        let transport = CurlTransport()
        let lines = try await transport.send(.get, httpbin + "/stream/50")
        #expect(lines.text.split(separator: "\n").count == 50 && lines.fields[.contentLength] == nil)
        var text = ""
        for try await chunk in try await transport.stream(.get, httpbin + "/stream/50").body {
            text += String(decoding: chunk, as: UTF8.self)
        }
        #expect(text.split(separator: "\n").count == 50)
        // Not /bytes: with gunicorn that is a head without its content.
        let bytes = try await transport.send(.get, httpbin + "/stream-bytes/5000?seed=3&chunk_size=5000")
        let piecemeal = try await transport.send(.get, httpbin + "/stream-bytes/5000?seed=3&chunk_size=7")
        #expect(bytes.body.bytes?.count == 5000 && piecemeal.body.bytes == bytes.body.bytes)
    }

    @Test func drops() async throws {
        let url = httpbin + "/drip?duration=0.2&numbytes=10&delay=0"
        let transport = CurlTransport()
        #expect(try await transport.send(.get, url).text == "**********")
        var count = 0
        for try await chunk in try await transport.stream(.get, url).body { count += chunk.count }
        #expect(count == 10)
    }

    @Test func connectionsAreKept() async throws {
        let transport = CurlTransport()
        var connections: Set<String> = []
        for _ in 0..<50 {
            connections.insert(
                try #require(try await transport.send(.get, nginx + "/ok").fields["X-Connection"]))
        }
        #expect(connections.count == 1)
        transport.dropIdleConnections()
        let next = try #require(try await transport.send(.get, nginx + "/ok").fields["X-Connection"])
        #expect(!connections.contains(next))
    }

    /// Whatever it is read from, it arrives.
    @Test func contentArrives() async throws {
        let transport = CurlTransport()
        let text = String(repeating: "0123456789abcdef", count: 20_000)
        let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        @Sendable func pieces() -> AsyncThrowingStream<HTTPBody.Chunk, any Error> {
            AsyncThrowingStream { continuation in
                var rest = Array(text.utf8)[...]
                while !rest.isEmpty {
                    continuation.yield(rest.prefix(10_001))
                    rest = rest.dropFirst(10_001)
                }
                continuation.finish()
            }
        }
        let bodies: [HTTPBody] = [
            .text(text), .file(path), .replayable(length: Int64(text.utf8.count), pieces),
            .replayable(pieces),
            .once(pieces()),
        ]
        for body in bodies {
            for method in [HTTPMethod.post, .put] {
                guard body.isReplayable || method == .post else { continue }
                let response = try await transport.send(
                    method, httpbin + "/anything", fields: [.contentType: "text/plain"], body: body)
                #expect(try response.json()["data"] as? String == text)
            }
        }
    }
}
