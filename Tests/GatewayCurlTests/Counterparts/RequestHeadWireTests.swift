import GatewayCore
import GatewayCurl
import Testing

/// The head of a request as nginx receives it, over both versions of HTTP. libcurl gets it at once or line by line.
@Suite(.needsNginx) struct RequestHeadWireTests {
    private static let token = "Bearer " + String(repeating: "0123456789", count: 50)

    /// One transport and so the same handles for all requests: what one sets must not be left for the next.
    @Test(arguments: [CurlConfiguration.HTTPVersion.http1, .http2])
    func fieldsAreTheSameOverBothVersions(version: CurlConfiguration.HTTPVersion) async throws {
        let nginx = Counterparts.nginxTLS ?? ""
        let host = nginx.dropFirst("https://".count)
        let product = version == .http2 ? "HTTP/2" : "HTTP/1.1"
        let transport = trusting { $0.httpVersion = version }
        let cases: [(HTTPFields, agent: String)] = [
            ([:], "GatewayClient \(product)"),
            (["Authorization": Self.token, "X-First": "a b", "X-Last": "c"], "GatewayClient \(product)"),
            (["User-Agent": "own/2 HTTP/1.1", "Authorization": Self.token], "own/2 HTTP/1.1"),
            (["User-Agent": "own", "Accept": "text/x", "X-Last": "z"], "own"),
            (["X-First": "", "TE": "trailers", "X-Last": "z"], "GatewayClient HTTP/1.1"),
            (["accept": "y", "x-first": "1"], "GatewayClient \(product)"),
        ]
        for (method, body) in [(HTTPMethod.get, HTTPBody.empty), (.post, .text("content")), (.put, .empty)] {
            let length = method == .get ? "" : method == .post ? "7" : "0"
            for (fields, agent) in cases + cases.reversed() {
                let target = "/echo-head?a=%20c"
                let response = try await transport.send(method, nginx + target, fields: fields, body: body)
                let values = ["Authorization", "Accept", "X-First", "X-Last"].map { name in
                    fields.first { $0.name.rawName.lowercased() == name.lowercased() }?.value ?? ""
                }
                #expect(
                    response.text.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
                        == ["\(method) \(target)", String(host), agent] + values + [length])
            }
        }
    }
}
