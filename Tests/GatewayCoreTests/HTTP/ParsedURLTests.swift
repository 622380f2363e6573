import GatewayCore
import Testing

@Suite struct ParsedURLTests {
    @Test(arguments: [
        ("http://example.com", "http", "example.com", 80, "/"),
        ("HTTPS://Example.COM/a/../b?x=1#part", "https", "example.com", 443, "/a/../b?x=1"),
        ("http://127.0.0.1:8080?q", "http", "127.0.0.1", 8080, "/?q"),
        ("https://[2001:DB8::1]:8443/x", "https", "[2001:db8::1]", 8443, "/x"),
        ("http://host:/y", "http", "host", 80, "/y"), ("http://1.2.3.4/", "http", "1.2.3.4", 80, "/"),
        ("http://4.example/", "http", "4.example", 80, "/"), ("http://a.4b/", "http", "a.4b", 80, "/"),
        ("https://a.b/%2e%2E/?a=b?c/d", "https", "a.b", 443, "/%2e%2E/?a=b?c/d"),
    ])
    func partsOf(url: String, scheme: String, host: String, port: Int, target: String) throws {
        let parsed = try ParsedURL(url)
        #expect(parsed.origin.scheme.rawValue == scheme)
        #expect(parsed.origin.host == host)
        #expect(Int(parsed.origin.port) == port)
        #expect(parsed.target == target)
    }

    @Test(arguments: [
        "", "example.com", "ftp://example.com", "http://", "http:///x", "http://user:pw@host/", "http://h:0/",
        "http://h:65536/", "http://h:8a/", "http://[::1/", "http://h/a b", "http://h/\r\nX: y", "http://h/é",
        "http://hö/", "http://h\0/", "javascript://h/", "file:///etc/passwd", "http://a,b/",
        "http://127.1", "http://127.0.0.256", "http://0x7f.1/", "http://2130706433/", "http://0177.0.0.1/",
        "http://127.0.0.1./", "http://a.0x1/", "http://1.2.3.4.5/", "http://0/",
        "http://[1:2]/", "http://[:::::]/", "http://[1.2]/", "http://[abcd]/", "http://[]/", "http://[::1]x/",
    ])
    func refuses(url: String) {
        #expect(throws: NetworkError.self) { try ParsedURL(url) }
    }

    @Test(arguments: [
        ("javascript:alert(1)", "scheme is not http"), ("mailto:a@b.example", "scheme is not http"),
        ("ftp://a.example/", "scheme is not http"), ("localhost:8080/x", "has no scheme"),
        ("a.example/x", "has no scheme"), ("https://bücher.example/", "A-label"),
        ("https://例え.テスト/", "A-label"),
    ])
    func theErrorSaysWhatIsWrong(url: String, reason: String) {
        let error = #expect(throws: NetworkError.self) { try ParsedURL(url) }
        #expect(error?.code == .invalidURL && error?.message.contains(reason) == true)
    }

    @Test func theErrorDoesNotRepeatTheURL() {
        do {
            _ = try ParsedURL("http://user:hunter2@host/")
            Issue.record("user information was taken")
        } catch {
            #expect(error.code == .invalidURL)
            #expect(!"\(error)".contains("hunter2"))
        }
    }

    @Test(arguments: [
        ("http://localhost", true), ("http://127.0.0.1", true), ("http://127.8.9.10:99", true),
        ("http://[::1]", true), ("http://127.0.0.1.example.com", false), ("http://128.0.0.1", false),
        ("http://localhost.example.com", false), ("http://127.0.0.1.example", false),
    ])
    func loopback(url: String, expected: Bool) throws {
        #expect(try Origin(url).isLoopback == expected)
    }

    @Test func anOriginHasNoPath() {
        #expect(throws: NetworkError.self) { try Origin("https://h/path") }
        #expect(throws: Never.self) { try Origin("https://h/") }
    }
}
