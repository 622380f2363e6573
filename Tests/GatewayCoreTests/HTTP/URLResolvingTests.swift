import GatewayCore
import Testing

@Suite struct URLResolvingTests {
    /// The examples of RFC 3986 §5.4, as far as they are http and have no fragment of their own.
    @Test(arguments: [
        ("g", "/b/c/g"), ("./g", "/b/c/g"), ("g/", "/b/c/g/"), ("/g", "/g"), ("?y", "/b/c/d;p?y"),
        ("g?y", "/b/c/g?y"), ("#s", "/b/c/d;p?q"), ("g#s", "/b/c/g"), ("g?y#s", "/b/c/g?y"),
        (";x", "/b/c/;x"),
        ("g;x", "/b/c/g;x"), ("", "/b/c/d;p?q"), (".", "/b/c/"), ("./", "/b/c/"), ("..", "/b/"),
        ("../", "/b/"),
        ("../g", "/b/g"), ("../..", "/"), ("../../", "/"), ("../../g", "/g"), ("../../../g", "/g"),
        ("../../../../g", "/g"), ("/./g", "/g"), ("/../g", "/g"), ("g.", "/b/c/g."), (".g", "/b/c/.g"),
        ("g..", "/b/c/g.."), ("./../g", "/b/g"), ("./g/.", "/b/c/g/"), ("g/./h", "/b/c/g/h"),
        ("g/../h", "/b/c/h"), ("g;x=1/./y", "/b/c/g;x=1/y"), ("g?y/./x", "/b/c/g?y/./x"),
    ])
    func references(reference: String, target: String) throws {
        let resolved = try ParsedURL("http://a/b/c/d;p?q").resolving(reference)
        #expect(resolved.origin.description == "http://a")
        #expect(resolved.target == target)
    }

    @Test(arguments: [
        ("//g", "http://g", "/"), ("https://h:1/x?y", "https://h:1", "/x?y"), ("HTTP://A/", "http://a", "/"),
        ("/a b", "http://a", "/a%20b"), ("/é", "http://a", "/%C3%A9"), (" /x ", "http://a", "/x"),
        ("http://g/x/../../y/./z", "http://g", "/y/z"), ("//g/./x/..", "http://g", "/"),
        ("https://g/..?../y", "https://g", "/?../y"), ("http://g/%2E%2E/x", "http://g", "/%2E%2E/x"),
    ])
    func others(reference: String, origin: String, target: String) throws {
        let resolved = try ParsedURL("http://a/b/c/d;p?q").resolving(reference)
        #expect(resolved.origin.description == origin)
        #expect(resolved.target == target)
    }

    @Test(arguments: [
        "ftp://a/", "file:///etc/passwd", "javascript:alert(1)", "http://u:p@h/", "/x\r\ny", "http:",
    ])
    func refused(reference: String) throws {
        let base = try ParsedURL("http://a/b")
        #expect(throws: NetworkError.self) { try base.resolving(reference) }
    }
}
