import Foundation
import GatewayCore
import GatewayCurl
import GatewayTesting
import Testing

/// Content in both directions: whole, in parts, in pieces, and slowly.
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
        let error = await failure { () throws(NetworkError) in
            try await transport.send(.get, url, limit: file.count - 1)
        }
        #expect(error?.code == .responseTooLarge)
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

    /// What drips takes as long as it takes, as long as something comes.
    @Test func drops() async throws {
        let url = httpbin + "/drip?duration=1&numbytes=10&delay=0"
        let patient = transport { $0.timeouts.read = .milliseconds(700) }
        #expect(try await patient.send(.get, url).text == "**********")
        var count = 0
        for try await chunk in try await patient.stream(.get, url).body { count += chunk.count }
        #expect(count == 10)
        let hurried = transport { $0.timeouts.read = .milliseconds(150) }
        let error = await failure { () throws(NetworkError) in
            try await hurried.send(.get, httpbin + "/drip?duration=4&numbytes=4&delay=0")
        }
        #expect(error?.code == .timeout && error?.phase == .receive)
    }

    @Test func delaysAndLimitsBelowASecond() async throws {
        let waiting = transport { $0.timeouts.firstByte = .milliseconds(200) }
        let clock = ContinuousClock()
        var error: NetworkError?
        let first = await clock.measure {
            error = await failure { () throws(NetworkError) in
                try await waiting.send(.get, httpbin + "/delay/3")
            }
        }
        #expect(error?.code == .timeout && error?.phase == .firstByte && error?.mayHaveBeenSent == true)
        let call = await clock.measure {
            error = await failure { () throws(NetworkError) in
                try await CurlTransport().send(.get, httpbin + "/delay/3", deadline: .milliseconds(150))
            }
        }
        #expect(error?.code == .timeout && error?.phase == .firstByte && error?.limit == .call)
        #expect(first < RealTime.limit(.seconds(2)) && call < RealTime.limit(.seconds(2)))
        #expect(try await CurlTransport().send(.get, httpbin + "/delay/1").status == 200)
    }

    /// nginx sends 64 KiB, and the rest a second later.
    @Test func aSlowBody() async throws {
        let url = nginx + "/slow/text.txt"
        let hurried = transport { $0.timeouts.whole = .milliseconds(400) }
        let error = await failure { () throws(NetworkError) in try await hurried.send(.get, url) }
        #expect(error?.code == .timeout && error?.phase == .receive && error?.limit == .attempt)
        let idle = transport { $0.timeouts.read = .milliseconds(300) }
        let idleError = await failure { () throws(NetworkError) in try await idle.send(.get, url) }
        #expect(idleError?.code == .timeout && idleError?.phase == .receive)
        #expect(try await CurlTransport().send(.get, url).body.bytes == Counterparts.file("text.txt"))
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
