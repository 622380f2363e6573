import GatewayCore
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayDashboard

/// Requests of somebody who must not see the page are refused.
@Suite(.tags(.concurrent), .timeLimit(.minutes(1))) struct HostileRequestTests {
    /// A request line and its fields, in which `TOKEN` and `PORT` stand for those of the dashboard, and the status.
    struct Request: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let line: String
        var fields = ["Host: 127.0.0.1:PORT"]
        var version = "HTTP/1.1"
        let status: Int
    }

    private static let requests = [
        Request(testDescription: "no token", line: "GET /", status: 404),
        Request(testDescription: "no token for the stream", line: "GET /stream", status: 404),
        Request(
            testDescription: "a wrong token", line: "GET /00000000000000000000000000000000/", status: 404),
        Request(testDescription: "a part of the token", line: "GET /TOKE/", status: 404),
        Request(testDescription: "a longer token", line: "GET /TOKEN0/", status: 404),
        Request(testDescription: "a token in capitals", line: "GET /UPPER/", status: 404),
        Request(testDescription: "a token in the query", line: "GET /?token=TOKEN", status: 404),
        Request(testDescription: "a step up", line: "GET /TOKEN/../TOKEN/", status: 404),
        Request(testDescription: "a step up before the token", line: "GET /x/../TOKEN/", status: 404),
        Request(testDescription: "an encoded step up", line: "GET /%2e%2e/TOKEN/", status: 404),
        Request(testDescription: "an encoded slash", line: "GET /TOKEN%2F", status: 404),
        Request(
            testDescription: "an encoded slash before the stream", line: "GET /TOKEN%2Fstream", status: 404),
        Request(testDescription: "an encoded NUL", line: "GET /TOKEN/%00", status: 404),
        Request(testDescription: "two slashes", line: "GET //TOKEN/", status: 404),
        Request(testDescription: "a backslash", line: "GET \\TOKEN\\", status: 400),
        Request(testDescription: "a query", line: "GET /TOKEN/?x=1", status: 404),
        Request(testDescription: "another resource", line: "GET /TOKEN/secret", status: 404),
        Request(testDescription: "metrics, which are off", line: "GET /metrics", status: 404),
        Request(
            testDescription: "a name that leads here (DNS rebinding)", line: "GET /TOKEN/",
            fields: ["Host: attacker.example"], status: 421),
        Request(
            testDescription: "such a name with the port", line: "GET /TOKEN/",
            fields: ["Host: attacker.example:PORT"], status: 421),
        Request(
            testDescription: "a name that begins with the address", line: "GET /TOKEN/",
            fields: ["Host: 127.0.0.1.attacker.example"], status: 421),
        Request(
            testDescription: "the address as user information", line: "GET /TOKEN/",
            fields: ["Host: 127.0.0.1@attacker.example"], status: 421),
        Request(
            testDescription: "all addresses", line: "GET /TOKEN/", fields: ["Host: 0.0.0.0:PORT"], status: 421
        ),
        Request(
            testDescription: "the address in another notation", line: "GET /TOKEN/",
            fields: ["Host: 127.1"], status: 421),
        Request(
            testDescription: "the address within IPv6", line: "GET /TOKEN/",
            fields: ["Host: [::ffff:127.0.0.1]"], status: 421),
        Request(
            testDescription: "a list of hosts", line: "GET /TOKEN/",
            fields: ["Host: 127.0.0.1, attacker.example"], status: 421),
        Request(
            testDescription: "a port with a sign", line: "GET /TOKEN/", fields: ["Host: 127.0.0.1:+80"],
            status: 400),
        Request(
            testDescription: "this host as that of a proxy", line: "GET /TOKEN/",
            fields: ["Host: attacker.example", "X-Forwarded-Host: 127.0.0.1:PORT"], status: 421),
        Request(testDescription: "no host", line: "GET /TOKEN/", fields: [], status: 400),
        Request(
            testDescription: "no host in HTTP/1.0", line: "GET /TOKEN/", fields: [], version: "HTTP/1.0",
            status: 400),
        Request(testDescription: "HTTP/2.0", line: "GET /TOKEN/", version: "HTTP/2.0", status: 505),
        Request(
            testDescription: "two hosts", line: "GET /TOKEN/",
            fields: ["Host: 127.0.0.1", "Host: attacker.example"], status: 400),
        Request(testDescription: "a whole URL", line: "GET http://attacker.example/TOKEN/", status: 400),
        Request(
            testDescription: "this host as a whole URL", line: "GET http://127.0.0.1:PORT/TOKEN/", status: 400
        ),
        Request(testDescription: "a tunnel", line: "CONNECT attacker.example:443", status: 400),
        Request(testDescription: "the server itself", line: "OPTIONS *", status: 400),
        Request(
            testDescription: "a WebSocket for another origin", line: "GET /TOKEN/stream",
            fields: [
                "Host: 127.0.0.1:PORT", "Connection: Upgrade", "Upgrade: websocket",
                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 13",
                "Origin: https://attacker.example",
            ], status: 403),
        Request(
            testDescription: "two origins", line: "GET /TOKEN/stream",
            fields: [
                "Host: 127.0.0.1:PORT", "Origin: http://127.0.0.1:PORT", "Origin: https://attacker.example",
            ], status: 403),
        Request(
            testDescription: "two kinds of sites", line: "GET /TOKEN/stream",
            fields: ["Host: 127.0.0.1:PORT", "Sec-Fetch-Site: same-origin", "Sec-Fetch-Site: cross-site"],
            status: 403),
        Request(
            testDescription: "a stream for another origin", line: "GET /TOKEN/stream",
            fields: ["Host: 127.0.0.1:PORT", "Origin: https://attacker.example"], status: 403),
        Request(
            testDescription: "a stream for an opaque origin", line: "GET /TOKEN/stream",
            fields: ["Host: 127.0.0.1:PORT", "Origin: null"], status: 403),
        Request(
            testDescription: "a fetch of another site", line: "GET /TOKEN/",
            fields: ["Host: 127.0.0.1:PORT", "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors"],
            status: 403),
        Request(
            testDescription: "a frame of another site", line: "GET /TOKEN/",
            fields: [
                "Host: 127.0.0.1:PORT", "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate",
                "Sec-Fetch-Dest: iframe",
            ], status: 403),
        Request(
            testDescription: "another port of this host", line: "GET /TOKEN/stream",
            fields: ["Host: 127.0.0.1:PORT", "Sec-Fetch-Site: same-site"], status: 403),
        Request(testDescription: "a POST", line: "POST /TOKEN/", status: 405),
        Request(testDescription: "a DELETE", line: "DELETE /TOKEN/stream", status: 405),
        Request(testDescription: "a preflight", line: "OPTIONS /TOKEN/", status: 405),
        Request(testDescription: "a TRACE", line: "TRACE /TOKEN/", status: 405),
        Request(testDescription: "a method in small letters", line: "get /TOKEN/", status: 405),
        Request(
            testDescription: "another method in a field", line: "POST /TOKEN/",
            fields: ["Host: 127.0.0.1:PORT", "X-HTTP-Method-Override: GET"], status: 405),
        Request(
            testDescription: "content", line: "GET /TOKEN/",
            fields: ["Host: 127.0.0.1:PORT", "Content-Length: 4\r\n\r\nbody"], status: 413),
        // Nothing of the content is waited for.
        Request(
            testDescription: "content that never comes", line: "POST /TOKEN/",
            fields: ["Host: 127.0.0.1:PORT", "Content-Length: 1000000000000"], status: 413),
        Request(
            testDescription: "content after a permission", line: "GET /TOKEN/",
            fields: ["Host: 127.0.0.1:PORT", "Expect: 100-continue", "Content-Length: 4"], status: 413),
        Request(
            testDescription: "content in chunks", line: "GET /TOKEN/",
            fields: ["Host: 127.0.0.1:PORT", "Transfer-Encoding: chunked"], status: 413),
        Request(
            testDescription: "content in another coding", line: "GET /TOKEN/",
            fields: ["Host: 127.0.0.1:PORT", "Transfer-Encoding: gzip"], status: 413),
        Request(
            testDescription: "two lengths", line: "GET /TOKEN/",
            fields: ["Host: 127.0.0.1:PORT", "Content-Length: 0", "Content-Length: 4"], status: 413),
        Request(
            testDescription: "a giant field", line: "GET /TOKEN/",
            fields: ["Host: 127.0.0.1:PORT", "X: " + String(repeating: "a", count: 40_000)], status: 431),
        Request(
            testDescription: "4,000 fields", line: "GET /TOKEN/",
            fields: ["Host: 127.0.0.1:PORT"] + Array(repeating: "X: a", count: 4_000), status: 431),
        Request(
            testDescription: "a giant path", line: "GET /TOKEN/" + String(repeating: "a", count: 40_000),
            status: 414),
    ]
    /// The statuses that the listener itself answers with.
    private static let listenerStatuses = [413, 414, 431, 505]

    @Test func hostileRequestsAreRefused() async throws {
        let served = try ServedDashboard()
        defer { served.dashboard.stop() }
        for request in Self.requests {
            func filled(_ text: String) -> String {
                text.replacing("TOKEN", with: served.token).replacing(
                    "TOKE/", with: served.token.prefix(31) + "/"
                )
                .replacing("UPPER", with: served.token.uppercased()).replacing("PORT", with: "\(served.port)")
            }
            let line = filled(request.line)
            // Without a letter, the token is the same in capitals.
            if line.contains(served.path), request.line.contains("UPPER") { continue }
            let answer = try await served.send(
                line, request.fields.map(filled), version: request.version)
            #expect(answer.status == request.status, "\(request)")
            if !Self.listenerStatuses.contains(answer.status) {
                #expect(answer.text.contains("content-security-policy: default-src 'none'"), "\(request)")
            }
            #expect(
                !answer.text.contains(served.token) && !answer.text.contains("access-control"), "\(request)")
        }
        // It works for those who may see it.
        let page = try await served.send("GET \(served.path)", ["Host: 127.0.0.1:\(served.port)"])
        #expect(page.status == 200)
    }

    @Test func harmlessRequestsAreAnswered() async throws {
        let served = try ServedDashboard { $0.hosts = ["box.example:8443", "Proxy.example"] }
        defer { served.dashboard.stop() }
        for host in [
            "localhost", "localhost:9", "[::1]:80", "127.0.0.1", "LOCALHOST", "box.example:8443",
            "proxy.example:1",
        ] {
            #expect(try await served.send("HEAD \(served.path)", ["Host: \(host)"]).status == 200, "\(host)")
        }
        for host in ["box.example", "", "localhost:x", "[::1", ":80"] {
            #expect(
                [400, 421].contains(try await served.send("GET \(served.path)", ["Host: \(host)"]).status))
        }
        // A link on another site opens the page.
        let link = [
            "Host: localhost", "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate",
            "Sec-Fetch-Dest: document",
        ]
        #expect(try await served.send("GET \(served.path)", link).status == 200)
        let own = ["Host: localhost:7", "Origin: http://localhost:7", "Sec-Fetch-Site: same-origin"]
        #expect(try await served.send("HEAD \(served.path)stream", own).status == 200)
    }

    /// An entry that no request can match is an error, not a page that nobody reaches.
    @Test(arguments: [
        "*", "*.example.com", "http://proxy.example", "proxy.example/", "", ":80", "proxy.example:x", "a b",
        "user@proxy.example", "[proxy]", "proxy.example, other.example",
    ])
    func aHostThatNoRequestHasIsRefused(host: String) throws {
        let error = #expect(throws: NetworkError.self) {
            try ServedDashboard { $0.hosts = ["fine.example", host] }
        }
        #expect(error?.code == .misconfigured)
    }

    /// What follows content that is refused is no request.
    @Test func noRequestHidesInContent() async throws {
        let served = try ServedDashboard()
        defer { served.dashboard.stop() }
        let (port, path) = (served.port, served.path)
        let text = try await PageClient.run {
            let client = try PageClient(port: port)
            client.write(
                "GET / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n"
                    + "0\r\n\r\nGET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n")
            return client.read(until: "never")
        }
        #expect(text.hasPrefix("HTTP/1.1 413 ") && text.ranges(of: "HTTP/1.1 ").count == 1)
    }

    /// Requests on one connection are checked one by one.
    @Test func requestsInARowAreCheckedOneByOne() async throws {
        let served = try ServedDashboard()
        defer { served.dashboard.stop() }
        let (port, path) = (served.port, served.path)
        let statuses = try await PageClient.run {
            let client = try PageClient(port: port)
            for (target, host) in [(path, "localhost"), ("/", "localhost"), (path, "attacker.example")] {
                client.request("HEAD \(target)", ["Host: \(host)"])
            }
            return (0..<3).map { _ in client.head().status }
        }
        #expect(statuses == [200, 404, 421])
    }

    /// Clients that send a part of a header, or nothing, keep nobody out, and no viewer loses its stream.
    @Test func clientsThatSendNothingKeepNobodyOut() async throws {
        let clock = ManualClock()
        let served = try ServedDashboard(clock: clock)
        defer { served.dashboard.stop() }
        let (port, path) = (served.port, served.path)
        let viewer = try await PageClient.run {
            let client = try PageClient(port: port)
            client.request("GET \(path)stream", ["Host: localhost"])
            #expect(client.read(until: "{\"frame\":1,").hasSuffix("{\"frame\":1,"))
            return UncheckedBox(client)
        }
        let status = try await PageClient.run {
            let slow = try (0..<200).map { _ in try PageClient(port: port) }
            for client in slow.prefix(100) { client.write("GET \(path) HTTP/1.1\r\nHost: localhost\r\nX: ") }
            return try withExtendedLifetime(slow) {
                let client = try PageClient(port: port)
                client.request("GET \(path)", ["Host: localhost"])
                return client.head().status
            }
        }
        #expect(status == 200)
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(1))
        try await PageClient.run {
            #expect(viewer.value.read(until: "{\"frame\":2,").hasSuffix("{\"frame\":2,"))
        }
        viewer.close()
    }

    /// The page is served while there are more connections than the server keeps, and afterwards.
    @Test(.long("10,000 connections")) func tenThousandConnectionsDisturbNobody() async throws {
        let served = try ServedDashboard()
        defer { served.dashboard.stop() }
        let (port, path) = (served.port, served.path)
        try await PageClient.run {
            for _ in 0..<50 {
                let clients = try (0..<200).map { _ in try PageClient(port: port) }
                for client in clients.prefix(5) { client.request("GET /", ["Host: localhost"]) }
                let client = try PageClient(port: port)
                client.request("GET \(path)", ["Host: localhost"])
                #expect(client.head().status == 200)
            }
        }
        #expect(try await served.send("GET \(path)", ["Host: localhost"]).status == 200)
    }
}
