import Foundation
import GatewayCore
import GatewayCurl
import GatewayResilience
import GatewayTesting
import TestTiers
import Testing

/// HTTP/2 over TLS with nginx.
@Suite(.needsNginx, .tags(.concurrent), .timeLimit(.minutes(2))) struct MultiplexTests {
    private let nginx = Counterparts.nginxTLS ?? ""
    private let closing = Counterparts.nginxClosing ?? ""

    /// Runs as many at once, and gives what each came to.
    private func concurrently<Value: Sendable>(
        _ count: Int, atOnce: Int, _ run: @escaping @Sendable (Int) async -> Value
    ) async -> [Value] {
        await withTaskGroup(of: Value.self) { group in
            var values: [Value] = []
            for index in 0..<count {
                if index >= atOnce, let value = await group.next() { values.append(value) }
                group.addTask { await run(index) }
            }
            for await value in group { values.append(value) }
            return values
        }
    }

    private static func send(
        _ transport: CurlTransport, _ method: HTTPMethod = .get, _ url: String, body: HTTPBody = .empty
    ) async -> Result<HTTPResponse, NetworkError> {
        do throws(NetworkError) {
            return .success(try await transport.send(method, url, body: body, deadline: .seconds(30)))
        } catch {
            return .failure(error)
        }
    }

    /// The service behind nginx answers when all requests are there, so that all are in progress at once.
    @Test func manyStreamsShareFewConnections() async throws {
        let (arrived, all) = (Tally(), ThreadGate())
        let service = FaultServer { _ in
            arrived.add()
            if arrived.count >= 60 { all.open() }
            all.wait()
            return ok("text")
        }
        defer {
            all.open()
            service.stop()
        }
        let transport = trusting { $0.httpVersion = .http2 }
        let url = "\(nginx)/upstream?port=\(service.port)"
        let results = await concurrently(60, atOnce: 60) { _ in await Self.send(transport, .get, url) }
        let connections = try Set(
            results.map { result in
                let response = try result.get()
                #expect(response.text == "text" && response.fields["X-Protocol"] == "HTTP/2.0")
                return try #require(response.fields["X-Connection"])
            })
        #expect(connections.count <= 2, "\(connections.count) connections")
    }

    /// Nobody knows yet whether the origin speaks HTTP/2, so that libcurl opens more connections than it may keep.
    @Test func oneConnectionIsEnoughFromTheFirstCallOn() async throws {
        for _ in 0..<SoakScale.rounds(50) {
            let transport = trusting {
                $0.httpVersion = .http2
                $0.connectionsPerOrigin = 1
            }
            for result in await concurrently(
                3, atOnce: 3, { _ in await Self.send(transport, .get, nginx + "/ok") })
            {
                #expect(try result.get().status == 200)
            }
        }
    }

    @Test func bytesOfManyStreamsAreNotMixedUp() async throws {
        let transport = trusting { $0.httpVersion = .http2 }
        let url = nginx + "/files/large.bin"
        let file = try Counterparts.file("large.bin")
        let results = await concurrently(200, atOnce: 50) { index in
            let range = index * 100_000..<(index * 100_000 + 90_000)
            do throws(NetworkError) {
                let part = try await transport.send(
                    .get, url, fields: ["Range": "bytes=\(range.lowerBound)-\(range.upperBound - 1)"])
                return part.body.bytes == Array(file[range])
            } catch {
                return false
            }
        }
        #expect(results.allSatisfy { $0 })
    }

    /// Without `Content-Length` a libcurl before 8.0 cannot tell the end of a stream from its being torn.
    @Test func anEndThatCannotBeProvenIsRefused() async throws {
        let transport = trusting {
            $0.httpVersion = .http2
            $0.acceptsCompression = true
        }
        let url = nginx + "/gzip/text.txt"
        let collected = await Self.send(transport, .get, url)
        var streamed: [UInt8] = []
        let streamError = await failure { () throws(NetworkError) in
            let body = try await transport.stream(.get, url).body
            streamed = try await body.collect(upToBytes: 1 << 20)
        }
        if Counterparts.tellsTornStreams {
            let text = try Counterparts.file("text.txt")
            #expect(try collected.get().body.bytes == text && streamed == text)
        } else {
            guard case .failure(let error) = collected else { return #expect(Bool(false), "no error") }
            #expect(error.code == .truncated && streamError?.code == .truncated && streamed.isEmpty)
        }
        // It is about what is not announced, and about HTTP/2.
        #expect(try await transport.send(.get, nginx + "/files/64k.bin").body.bytes?.count == 65_536)
        let old = trusting { $0.acceptsCompression = true }
        #expect(try await old.send(.get, url).body.bytes == Counterparts.file("text.txt"))
    }

    /// nginx passes on what a service sends that dies in mid-response.
    @Test(arguments: [CurlConfiguration.HTTPVersion.http1, .http2], [true, false])
    func aServiceThatDiesBehindTheGateway(
        version: CurlConfiguration.HTTPVersion, announcesLength: Bool
    ) async throws {
        let framing = announcesLength ? "Content-Length: 100000" : "Transfer-Encoding: chunked"
        let service = FaultServer { connection in
            _ = connection.readRequest()
            connection.write("HTTP/1.1 200 OK\r\n\(framing)\r\n\r\n")
            let piece = String(repeating: "x", count: 1000)
            for _ in 0..<20 { connection.write(announcesLength ? piece : "3e8\r\n\(piece)\r\n") }
        }
        defer { service.stop() }
        let transport = trusting { $0.httpVersion = version }
        let url = "\(nginx)/upstream?port=\(service.port)"
        let collected = await failure { () throws(NetworkError) in
            try await transport.send(.get, url, deadline: .seconds(30))
        }
        let streamed = await failure { () throws(NetworkError) in
            try await transport.stream(.get, url, deadline: .seconds(30)).body.collect(upToBytes: 1 << 20)
        }
        for error in [collected, streamed] {
            #expect(
                error?.code == .truncated || error?.code == .connectionLost, "\(String(describing: error))")
        }
    }

    /// GOAWAY after every tenth request, under load: each call ends in an answer or a typed error, and soon.
    @Test(arguments: [CurlConfiguration.HTTPVersion.http1, .http2])
    func connectionsThatEndUnderLoad(version: CurlConfiguration.HTTPVersion) async throws {
        let transport = trusting { $0.httpVersion = version }
        let url = closing + "/ok"
        let results = await concurrently(400, atOnce: 32) { _ in await Self.send(transport, .get, url) }
        var answers = 0
        for result in results {
            switch result {
            case .success(let response):
                answers += 1
                #expect(response.status == 200 && response.text == "ok")
            case .failure(let error):
                #expect(error.code == .connectionLost && error.origin != nil, "\(error)")
            }
        }
        // Ten from each connection are certain.
        #expect(answers >= 100, "\(answers) answers")
    }

    /// With retries above, none of it is seen.
    @Test func retriesHideConnectionsThatEnd() async throws {
        let transport = trusting { $0.httpVersion = .http2 }
        let engine = RetryEngine(below: AttemptEngine(transport: transport), policy: .standard)
        let request = try HTTPRequest(.get, closing + "/ok")
        let results = await concurrently(500, atOnce: 16) { _ -> String? in
            do throws(NetworkError) {
                return try await engine.send(request, context: RequestContext()).text
            } catch {
                return "\(error)"
            }
        }
        #expect(results.count { $0 != "ok" } == 0, "\(results.first { $0 != "ok" } ?? nil ?? "")")
    }

    /// A POST is on the wire once, however its connection ends. nginx's log tells.
    @Test(arguments: [CurlConfiguration.HTTPVersion.http1, .http2])
    func aPostIsSentOnce(version: CurlConfiguration.HTTPVersion) async throws {
        let transport = trusting { $0.httpVersion = version }
        let run = UUID().uuidString
        let url = closing + "/ok"
        let before = try Counterparts.logBytes()
        let results = await concurrently(400, atOnce: 16) { index in
            (index, await Self.send(transport, .post, "\(url)?\(run)-\(index).", body: .text("pay 100")))
        }
        /// How often each request arrived.
        func arrivals() -> [Int: Int] {
            var arrivals: [Int: Int] = [:]
            for line in (try? Counterparts.log(after: before)) ?? [] {
                guard let begin = line.firstRange(of: run + "-")?.upperBound,
                    let index = Int(line[begin...].prefix { $0 != "." })
                else { continue }
                arrivals[index, default: 0] += 1
            }
            return arrivals
        }
        let answered = results.filter { if case (_, .success) = $0 { true } else { false } }.map(\.0)
        // nginx writes its log after the response.
        await eventually { Set(answered).isSubset(of: arrivals().keys) }
        let seen = arrivals()
        for (index, result) in results {
            let arrivals = seen[index] ?? 0
            switch result {
            case .success: #expect(arrivals == 1)
            case .failure(let error):
                #expect(arrivals <= 1)
                #expect(error.mayHaveBeenSent || arrivals == 0, "\(error)")
            }
        }
    }
}
