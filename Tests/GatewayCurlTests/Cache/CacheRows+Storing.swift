extension CacheRow {
    private static let fresh = "Cache-Control: max-age=100"

    static let storing: [CacheRow] =
        [
            200, 203, 204, 300, 301, 302, 303, 307, 308, 400, 402, 403, 404, 405, 410, 414, 418, 421, 451,
            500, 501, 502, 503, 504, 599,
        ]
        .map { .row("9111 §3", "\($0) with max-age", [fresh], status: $0, .hit) }
        + [401, 407, 511, 428, 429, 431].map {
            .row(
                "6585 §3 to §6, 9110 §11", "\($0) is never stored",
                [fresh, "WWW-Authenticate: Basic", "Proxy-Authenticate: Basic"], status: $0, .sent)
        }
        + [
            .row(
                "9110 §11.6.1", "403 with a challenge",
                [fresh, "WWW-Authenticate: Bearer error=\"insufficient_scope\""], status: 403, .sent),
            .row(
                "9111 §3", "206 is not stored", [fresh, "Content-Range: bytes 0-9/20"], status: 206,
                first: ["Range: bytes=0-9"], second: ["Range: bytes=0-9"], .sent),
            .row("9111 §3", "302 without freshness", ["Location: /y"], status: 302, .sent),
            .row("9111 §3", "no-store of the response", ["Cache-Control: no-store, max-age=100"], .sent),
            .row("9111 §5.2.2.5", "no-store in any case", ["Cache-Control: No-StOrE", fresh], .sent),
            .row(
                "9111 §5.2.1.5", "no-store of the request", [fresh], first: ["Cache-Control: no-store"], .sent
            ),
            .row(
                "9111 §3.5", "Authorization allows a private cache", [fresh],
                first: ["Authorization: Basic YTpi"], second: ["Authorization: Basic YTpi"], .hit),
            .row(
                "9111 §3.5", "another Authorization", [fresh], first: ["Authorization: Basic YTpi"],
                second: ["Authorization: Basic YTpj"], .sent),
            .row("9111 §5.2.2.7", "private is stored", ["Cache-Control: private, max-age=100"], .hit),
            .row(
                "9111 §5.2.2.7", "private with field names",
                ["Cache-Control: private=\"x-a\", max-age=100", "X-A: 1"], .hit, fields: ["X-A: 1"]),
            .row("9111 §5.2.2.9", "public is stored", ["Cache-Control: public, max-age=100"], .hit),
            .row(
                "9111 §5.2.2.3", "must-understand over no-store",
                ["Cache-Control: no-store, must-understand, max-age=100"], .hit),
            .row(
                "9111 §5.2.2.3", "must-understand of an unknown status",
                ["Cache-Control: must-understand, max-age=100"], status: 299, .sent),
            .row(
                "9111 §3", "a response to POST is not stored", [fresh],
                between: Between(method: "POST", reply: [fresh]), .sent),
            .row("9111 §2", "the method is part of the key", [fresh], method: "OPTIONS", .sent),
            .row("9111 §3", "Pragma of a response means nothing", [fresh, "Pragma: no-cache"], .hit),
        ]

    static let fieldRows: [CacheRow] = [
        .row(
            "9111 §3.1", "fields are stored", [fresh, "X-A: 1", "Content-Type: text/plain"], .hit,
            fields: ["X-A: 1", "Content-Type: text/plain"]),
        .row(
            "9111 §3.1", "Connection is not stored", [fresh, "Connection: keep-alive"], .hit,
            fields: ["!Connection"]),
        .row(
            "9111 §3.1", "fields that Connection lists",
            [fresh, "Connection: x-hop, keep-alive", "X-Hop: 1", "X-A: 2"], .hit,
            fields: ["!X-Hop", "X-A: 2"]),
        .row(
            "9111 §3.1", "Keep-Alive is not stored", [fresh, "Keep-Alive: timeout=5"], .hit,
            fields: ["!Keep-Alive"]),
        .row(
            "9111 §3.1", "Proxy-Authenticate is not stored", [fresh, "Proxy-Authenticate: Basic"], .hit,
            fields: ["!Proxy-Authenticate"]),
        .row(
            "9111 §3.1", "Proxy-Authentication-Info is not stored",
            [fresh, "Proxy-Authentication-Info: a=b"], .hit, fields: ["!Proxy-Authentication-Info"]),
        .row("9111 §3.1", "Upgrade is not stored", [fresh, "Upgrade: h2c"], .hit, fields: ["!Upgrade"]),
        .row(
            "9111 §7.3", "Set-Cookie is stored", [fresh, "Set-Cookie: a=b"], .hit, fields: ["Set-Cookie: a=b"]
        ),
        .row(
            "9110 §5.3", "lines keep their order", [fresh, "X-A: 1", "X-A: 2"], .hit, fields: ["X-A: 1, 2"]),
        .row("9111 §4", "the body is that of the stored response", [fresh], .hit, body: CacheOrigin.content),
    ]

    static let invalidating: [CacheRow] =
        ["POST", "PUT", "DELETE", "PATCH", "M-SEARCH"].map {
            .row("9111 §4.4", "\($0) invalidates", [fresh], between: Between(method: $0), .sent)
        }
        + [204, 201, 303].map {
            .row(
                "9111 §4.4", "a successful \($0) invalidates", [fresh],
                between: Between(method: "PUT", status: $0), .sent)
        }
        + [400, 404, 500, 503].map {
            .row(
                "9111 §4.4", "a failed \($0) does not", [fresh], between: Between(method: "PUT", status: $0),
                .hit)
        }
        + [
            .row("9111 §4.4", "OPTIONS is safe", [fresh], between: Between(method: "OPTIONS"), .hit),
            .row(
                "9111 §4.3.5", "HEAD with another length", [fresh, "ETag: \"a\""],
                between: Between(
                    method: "HEAD", lines: ["Cache-Control: no-cache"],
                    reply: ["ETag: \"a\"", "Content-Length: 99"]), .sent),
            .row(
                "9111 §4.3.5", "HEAD with another ETag", [fresh, "ETag: \"a\""],
                between: Between(method: "HEAD", lines: ["Cache-Control: no-cache"], reply: ["ETag: \"b\""]),
                .sent),
            .row(
                "9111 §4.3.5", "HEAD freshens", ["Cache-Control: max-age=1", "ETag: \"a\""],
                between: Between(
                    method: "HEAD", lines: ["Cache-Control: no-cache"],
                    reply: ["ETag: \"a\"", "Cache-Control: max-age=100", "X-New: 1"]), wait: 50, .hit,
                fields: ["X-New: 1", "Age: 50"]),
        ]

    static let ranges: [CacheRow] = [
        .row(
            "9110 §14.2", "the first bytes", [fresh], second: ["Range: bytes=0-3"], .hit, seen: 206,
            fields: ["Content-Range: bytes 0-3/10", "Content-Length: 4"], body: "0123"),
        .row(
            "9110 §14.2", "from a byte", [fresh], second: ["Range: bytes=7-"], .hit, seen: 206,
            fields: ["Content-Range: bytes 7-9/10"], body: "789"),
        .row(
            "9110 §14.1.2", "the last bytes", [fresh], second: ["Range: bytes=-2"], .hit, seen: 206,
            body: "89"),
        .row(
            "9110 §14.1.2", "more than there are", [fresh], second: ["Range: bytes=-99"], .hit, seen: 206,
            body: "0123456789"),
        .row(
            "9110 §15.5.17", "after the end", [fresh], second: ["Range: bytes=10-"], .hit, seen: 416,
            fields: ["Content-Range: bytes */10"]),
        .row(
            "9110 §13.1.5", "If-Range with the tag", [fresh, "ETag: \"a\""],
            second: ["Range: bytes=0-0", "If-Range: \"a\""], .hit, seen: 206, body: "0"),
        .row(
            "9110 §13.1.5", "If-Range with another tag", [fresh, "ETag: \"a\""],
            second: ["Range: bytes=0-0", "If-Range: \"b\""], .hit, seen: 200, body: "0123456789"),
        .row(
            "9110 §13.1.5", "If-Range with a weak tag", [fresh, "ETag: W/\"a\""],
            second: ["Range: bytes=0-0", "If-Range: W/\"a\""], .hit, seen: 200),
        .row(
            "9110 §13.1.5", "If-Range with the date", [fresh, "Last-Modified: {-1}"],
            second: ["Range: bytes=0-0", "If-Range: {-2}"], .hit, seen: 206, body: "0"),
        .row(
            "9110 §8.8.2.2", "If-Range with a date that is no strong validator",
            [fresh, "Last-Modified: {0}"], second: ["Range: bytes=0-0", "If-Range: {-1}"], .hit, seen: 200,
            body: "0123456789"),
        .row(
            "9110 §13.1.5", "If-Range with another date", [fresh, "Last-Modified: {-100}"],
            second: ["Range: bytes=0-0", "If-Range: {-50}"], .hit, seen: 200),
        .row(
            "9110 §14.2", "several ranges go to the origin", [fresh], second: ["Range: bytes=0-0,2-2"], .sent),
        .row("9110 §14.2", "another unit goes to the origin", [fresh], second: ["Range: lines=0-1"], .sent),
        .row(
            "9111 §4", "a stale response answers no range", ["Cache-Control: max-age=0", "ETag: \"a\""],
            second: ["Range: bytes=0-0"], .sent),
    ]
}
