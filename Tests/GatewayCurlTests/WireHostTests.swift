import Foundation
import GatewayCore
import GatewayCurl
import Testing

/// Policies, credentials and the wire mean the same host, however a URL is spelled: it is parsed once.
@Suite struct WireHostTests {
    /// Spellings that parsers are known to disagree about.
    private static let spellings = [
        "http://service.invalid/", "http://SERVICE.Invalid:80/x", "http://service.invalid:8080?x",
        "http://service.invalid#@evil.invalid/", "http://evil.invalid@service.invalid/",
        "http://a:b@service.invalid:81/", "http://a@b@service.invalid/",
        "http://service.invalid\\@evil.invalid/", "http://service.invalid:80@evil.invalid/",
        "http://service.invalid:@evil.invalid/", "http://service.invalid?@evil.invalid/",
        "http:///evil.invalid/", "http:service.invalid/", "http://service.invalid:0/",
        "http://service.invalid:99999/", "http://service.invalid:/", "http://service.invalid./",
        "http://%73ervice.invalid/", "http://service%2einvalid/", "http://service.invalid%00.evil.invalid/",
        "http://[::1]:8080/", "http://[::1%25lo]/", "http://[::FFFF:127.0.0.1]/", "http://0x7f.1/",
        "http://2130706433/", "http://127.1/", "http://0177.0.0.1/", "http://service_a.invalid/",
        "http://bücher.invalid/", "http://xn--bcher-kva.invalid/", "http://service.invalid/ http/1.1",
        "http://service.invalid\t.evil.invalid/", "http://service.invalid;evil.invalid/",
        "http://service.invalid//evil.invalid/", "HTTP://service.invalid/", "http://service.invalid:+80/",
    ]

    @Test func howeverAHostIsSpelled() async throws {
        let server = FaultServer { _ in ok() }
        defer { server.stop() }
        // A proxy is told the host. One connection for all: what one request says must not cling to the next.
        let transport = transport { $0.proxy = .init(host: "127.0.0.1", port: server.port) }
        var sent = 0
        for spelling in Self.spellings {
            guard let request = try? HTTPRequest(.get, spelling) else { continue }
            let error = await failure { () throws(NetworkError) in
                try await transport.send(request, context: RequestContext())
            }
            guard error == nil else {
                #expect(error?.mayHaveBeenSent == false, "\(spelling): \(String(describing: error))")
                continue
            }
            sent += 1
            let wire = try #require(server.requests.last)
            #expect(server.requests.count == sent)
            #expect(wire.line == "GET \(request.origin)\(request.target) HTTP/1.1", "\(spelling)")
            let host = "\(request.origin)".dropFirst("http://".count)
            #expect(wire.value("host") == String(host), "\(spelling)")
            #expect(!host.contains("@") && host == host.lowercased())
        }
        #expect(sent >= 10, "\(sent) of them are understood")
    }
}
