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
            testDescription: "two hosts", line: "GET /TOKEN/",
            fields: ["Host: 127.0.0.1", "Host: attacker.example"], status: 400),
        Request(testDescription: "a whole URL", line: "GET http://attacker.example/TOKEN/", status: 400),
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
        Request(
            testDescription: "content", line: "GET /TOKEN/",
            fields: ["Host: 127.0.0.1:PORT", "Content-Length: 4\r\n\r\nbody"], status: 413),
    ]

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
            let answer = try await served.send(line, request.fields.map(filled))
            #expect(answer.status == request.status, "\(request)")
            // The listener itself refuses content.
            if answer.status != 413 {
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

    /// Each connection beyond the limit is closed; afterwards the page is served as before.
    @Test(.long("10,000 connections")) func tenThousandConnectionsDisturbNobody() async throws {
        let served = try ServedDashboard()
        defer { served.dashboard.stop() }
        try await PageClient.run {
            for _ in 0..<50 {
                let clients = try (0..<200).map { _ in try PageClient(port: served.port) }
                for client in clients.prefix(5) { client.request("GET /", ["Host: localhost"]) }
            }
        }
        #expect(
            await isEventually {
                (try? await served.send("GET \(served.path)", ["Host: localhost"]).status) == 200
            })
    }
}
