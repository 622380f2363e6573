import GatewayCore
import Testing

/// Which hosts a list of plain HTTP hosts covers.
@Suite struct PlainHTTPHostsTests {
    private static let entries = [
        "orders", "Login.Auth.svc", ".svc.cluster.local", ".internal", "10.0.0.7", "[fd00::7]",
    ]

    @Test(
        arguments: [
            ("http://orders", true, true), ("http://orders:8080", true, true), ("http://ORDERS", true, true),
            ("http://orders.shop", false, false), ("http://xorders", false, false),
            ("http://login.auth.svc", true, true), ("http://auth.svc", false, false),
            ("http://a.svc.cluster.local", true, false), ("http://a.b.svc.cluster.local:81", true, false),
            ("http://svc.cluster.local", false, false), ("http://xsvc.cluster.local", false, false),
            ("http://a.svc.cluster.local.evil.test", false, false),
            ("http://vm.internal", true, false),
            ("http://internal", false, false), ("http://10.0.0.7", true, true),
            ("http://10.0.0.70", false, false),
            ("http://[fd00::7]:80", true, true),
            ("http://[fd00::8]", false, false),
        ])
    func coversHosts(url: String, isCovered: Bool, isNamed: Bool) throws {
        let hosts = try PlainHTTPHosts(Self.entries)
        let origin = try Origin(url)
        #expect(hosts.covers(origin) == isCovered)
        #expect(hosts.names(origin) == isNamed)
        #expect(!PlainHTTPHosts.none.covers(origin))
    }

    @Test(arguments: [
        "", " ", ".", "..", ".com", ".0.1", ".a..b", ".svc.", "*.svc.local", "*", "http://orders",
        "orders:80",
        "orders/path", "a b", "user@orders", ".a/b.c", ".x:1.y",
    ])
    func refusesOtherEntries(entry: String) {
        do throws(NetworkError) {
            _ = try PlainHTTPHosts(["orders", entry])
            Issue.record("accepted")
        } catch {
            #expect(error.code == .misconfigured)
            #expect(error.message.contains("\"\(entry)\""))
        }
    }

    @Test func refusesCredentialsElsewhere() throws {
        let (listed, other) = (try Origin("http://orders"), try Origin("http://payments"))
        let hosts = try PlainHTTPHosts(["orders"])
        try listed.refuseInsecure(allowing: hosts)
        for (origin, hosts) in [(listed, PlainHTTPHosts.none), (other, hosts)] {
            let error = #expect(throws: NetworkError.self) { try origin.refuseInsecure(allowing: hosts) }
            #expect(error?.code == .insecureOrigin)
            #expect(error?.message.contains(origin.host) == true)
        }
    }
}
