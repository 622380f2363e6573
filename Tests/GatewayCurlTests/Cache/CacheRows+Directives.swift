extension CacheRow {
    private static let fresh = "Cache-Control: max-age=100"
    private static let tag = "ETag: \"a\""

    static let requests: [CacheRow] = [
        .row("9111 §5.2.1.4", "no-cache", [fresh], second: ["Cache-Control: no-cache"], .sent),
        .row(
            "9111 §5.2.1.4", "no-cache validates", [fresh, tag], second: ["Cache-Control: no-cache"],
            .validated),
        .row("9111 §5.4", "Pragma: no-cache", [fresh], second: ["Pragma: no-cache"], .sent),
        .row(
            "9111 §5.4", "Cache-Control beats Pragma", [fresh],
            second: ["Pragma: no-cache", "Cache-Control: max-age=50"], .hit),
        .row("9111 §5.2.1.1", "max-age=0", [fresh], second: ["Cache-Control: max-age=0"], .sent),
        .row(
            "9111 §5.2.1.1", "an age within max-age", [fresh], wait: 5, second: ["Cache-Control: max-age=10"],
            .hit),
        .row(
            "9111 §5.2.1.1", "an age over max-age", [fresh], wait: 11, second: ["Cache-Control: max-age=10"],
            .sent),
        .row(
            "9111 §5.2.1.1", "max-age extends nothing", ["Cache-Control: max-age=1"], wait: 5,
            second: ["Cache-Control: max-age=100"], .sent),
        .row("9111 §5.2.1.1", "an invalid max-age", [fresh], second: ["Cache-Control: max-age=x"], .sent),
        .row(
            "9111 §5.2.1.3", "min-fresh that is met", [fresh], wait: 10,
            second: ["Cache-Control: min-fresh=90"], .hit),
        .row(
            "9111 §5.2.1.3", "min-fresh that is not met", [fresh], wait: 11,
            second: ["Cache-Control: min-fresh=90"], .sent),
        .row(
            "9111 §5.2.1.2", "max-stale", ["Cache-Control: max-age=1"], wait: 50,
            second: ["Cache-Control: max-stale"], .hit, fields: ["Age: 50"]),
        .row(
            "9111 §5.2.1.2", "max-stale within its limit", ["Cache-Control: max-age=1"], wait: 11,
            second: ["Cache-Control: max-stale=10"], .hit),
        .row(
            "9111 §5.2.1.2", "max-stale over its limit", ["Cache-Control: max-age=1"], wait: 12,
            second: ["Cache-Control: max-stale=10"], .sent),
        .row(
            "9111 §5.2.1.2", "an invalid max-stale", ["Cache-Control: max-age=1"], wait: 5,
            second: ["Cache-Control: max-stale=x"], .sent),
        .row(
            "9111 §5.2.1.7", "only-if-cached with a fresh response", [fresh],
            second: ["Cache-Control: only-if-cached"], .hit),
        .row(
            "9111 §5.2.1.7", "only-if-cached with a stale response", ["Cache-Control: max-age=0"],
            second: ["Cache-Control: only-if-cached"], .hit, seen: 504),
        .row(
            "9111 §5.2.1.7", "only-if-cached with max-stale", ["Cache-Control: max-age=1"], wait: 5,
            second: ["Cache-Control: only-if-cached, max-stale"], .hit),
        .row(
            "9111 §5.2.1.5", "no-store uses no stored response", [fresh], second: ["Cache-Control: no-store"],
            .sent),
        .row("9111 §5.2.1", "an unknown directive", [fresh], second: ["Cache-Control: foo=bar"], .hit),
    ]

    static let responses: [CacheRow] = [
        .row(
            "9111 §5.2.2.4", "no-cache is validated", ["Cache-Control: no-cache, max-age=100", tag],
            .validated),
        .row(
            "9111 §5.2.2.4", "no-cache without a validator", ["Cache-Control: no-cache, max-age=100"], .sent),
        .row(
            "9111 §5.2.2.4", "no-cache and max-stale", ["Cache-Control: no-cache, max-age=100", tag],
            second: ["Cache-Control: max-stale"], .validated),
        .row(
            "9111 §5.2.2.4", "no-cache and only-if-cached", ["Cache-Control: no-cache, max-age=100", tag],
            second: ["Cache-Control: only-if-cached"], .hit, seen: 504),
        .row(
            "9111 §5.2.2.4", "no-cache with field names",
            ["Cache-Control: no-cache=\"x-a, X-B\", max-age=100", "X-A: 1", "X-B: 2", "X-C: 3"], .hit,
            fields: ["!X-A", "!X-B", "X-C: 3"]),
        .row(
            "9111 §5.2.2.2", "must-revalidate while fresh", ["Cache-Control: must-revalidate, max-age=100"],
            .hit),
        .row(
            "9111 §5.2.2.2", "must-revalidate beats max-stale",
            ["Cache-Control: must-revalidate, max-age=1", tag], wait: 5, second: ["Cache-Control: max-stale"],
            .validated),
        .row(
            "9111 §5.2.2.2", "must-revalidate and only-if-cached",
            ["Cache-Control: must-revalidate, max-age=1", tag], wait: 5,
            second: ["Cache-Control: only-if-cached, max-stale"], .hit, seen: 504),
        .row(
            "9111 §5.2.2.8", "proxy-revalidate does not concern a private cache",
            ["Cache-Control: proxy-revalidate, max-age=1"], wait: 5, second: ["Cache-Control: max-stale"],
            .hit),
        .row("9111 §5.2.2.6", "no-transform is stored", ["Cache-Control: no-transform, max-age=100"], .hit),
    ]

    static let varying: [CacheRow] = [
        .row(
            "9111 §4.1", "the same value", [fresh, "Vary: X-A"], first: ["X-A: 1"], second: ["X-A: 1"], .hit),
        .row(
            "9111 §4.1", "another value", [fresh, "Vary: X-A"], first: ["X-A: 1"], second: ["X-A: 2"], .sent),
        .row("9111 §4.1", "absent in both", [fresh, "Vary: X-A"], .hit),
        .row("9111 §4.1", "absent in the second", [fresh, "Vary: X-A"], first: ["X-A: 1"], .sent),
        .row("9111 §4.1", "absent in the first", [fresh, "Vary: X-A"], second: ["X-A: 1"], .sent),
        .row(
            "9111 §4.1", "names in any case", [fresh, "Vary: x-a"], first: ["X-A: 1"], second: ["X-a: 1"],
            .hit),
        .row(
            "9111 §4.1", "several names that match", [fresh, "Vary: X-A, X-B"], first: ["X-A: 1", "X-B: 2"],
            second: ["X-B: 2", "X-A: 1"], .hit),
        .row(
            "9111 §4.1", "one of several differs", [fresh, "Vary: X-A, X-B"], first: ["X-A: 1", "X-B: 2"],
            second: ["X-A: 1", "X-B: 3"], .sent),
        .row(
            "9111 §4.1", "names in two lines", [fresh, "Vary: X-A", "Vary: X-B"], first: ["X-B: 2"],
            second: ["X-B: 3"], .sent),
        .row(
            "9111 §4.1", "other fields do not matter", [fresh, "Vary: X-A"], first: ["X-C: 1"],
            second: ["X-C: 2"], .hit),
        .row("9111 §4.1", "a star", [fresh, "Vary: *"], .sent),
        .row("9111 §4.1", "a star among names", [fresh, "Vary: X-A, *"], .sent),
        .row(
            "9111 §4.1", "space around commas", [fresh, "Vary: X-A"], first: ["X-A: 1,2"],
            second: ["X-A: 1 ,  2"], .hit),
        .row(
            "9111 §4.1", "lines that are combined", [fresh, "Vary: X-A"], first: ["X-A: 1", "X-A: 2"],
            second: ["X-A: 1, 2"], .hit),
        .row(
            "9111 §4.1", "the order of languages", [fresh, "Vary: Accept-Language"],
            first: ["Accept-Language: en, de"], second: ["Accept-Language: de, en"], .hit),
        .row(
            "9111 §4.1", "the case of languages", [fresh, "Vary: Accept-Language"],
            first: ["Accept-Language: EN"], second: ["Accept-Language: en"], .hit),
        .row(
            "9111 §4.1", "another language", [fresh, "Vary: Accept-Language"], first: ["Accept-Language: en"],
            second: ["Accept-Language: de"], .sent),
    ]

    static let validating: [CacheRow] = [
        .row(
            "9111 §4.3.1", "If-None-Match", ["Cache-Control: max-age=0", tag], .validated, seen: 200,
            body: CacheOrigin.content),
        .row(
            "9111 §4.3.1", "If-Modified-Since", ["Cache-Control: max-age=0", "Last-Modified: {-100}"],
            .validated, seen: 200),
        .row(
            "9111 §4.3.3", "a 200 replaces", ["Cache-Control: max-age=0", tag],
            answer: (200, ["X-New: 1", "ETag: \"b\""]), .validated, fields: ["X-New: 1", "ETag: \"b\""]),
        .row(
            "9111 §4.3.3", "a 404 replaces", ["Cache-Control: max-age=0", tag], answer: (404, []), .validated,
            seen: 404),
        .row(
            "9111 §4.3.3", "a 500 is passed on", ["Cache-Control: max-age=0", tag], answer: (500, []),
            .validated, seen: 500),
        .row(
            "9111 §3.2", "a 304 updates fields", ["Cache-Control: max-age=0", tag, "X-A: old"],
            answer: (304, [tag, "X-A: new", "Cache-Control: max-age=50"]), .validated, seen: 200,
            fields: ["X-A: new", "Cache-Control: max-age=50"]),
        .row(
            "9111 §3.2", "a 304 does not update Content-Length", ["Cache-Control: max-age=0", tag],
            answer: (304, [tag, "Content-Length: 99"]), .validated, seen: 200, fields: ["Content-Length: 10"],
            body: CacheOrigin.content),
        .row(
            "9111 §3.2", "fields that a 304 leaves out are kept",
            ["Cache-Control: max-age=0", tag, "X-A: old"], answer: (304, [tag]), .validated, seen: 200,
            fields: ["X-A: old"]),
        .row(
            "9111 §3.2", "Age is that of the 304", ["Cache-Control: max-age=0", tag, "Age: 77"],
            answer: (304, [tag]), .validated, seen: 200, fields: ["!Age"]),
        .row(
            "9111 §4.3.4", "a weak tag validates", ["Cache-Control: max-age=0", "ETag: W/\"a\""],
            answer: (304, ["ETag: W/\"a\""]), .validated, seen: 200),
        .row(
            "9111 §4.3.2", "a condition of the caller that holds", [fresh, tag],
            second: ["If-None-Match: \"b\", \"a\""], .hit, seen: 304, body: ""),
        .row(
            "9111 §4.3.2", "a weak comparison", [fresh, tag], second: ["If-None-Match: W/\"a\""], .hit,
            seen: 304),
        .row(
            "9111 §4.3.2", "a condition of the caller that does not hold", [fresh, tag],
            second: ["If-None-Match: \"b\""], .hit, seen: 200),
        .row("9111 §4.3.2", "any tag", [fresh, tag], second: ["If-None-Match: *"], .hit, seen: 304),
        .row(
            "9111 §4.3.2", "not modified since", [fresh, "Last-Modified: {-100}"],
            second: ["If-Modified-Since: {-50}"], .hit, seen: 304),
        .row(
            "9111 §4.3.2", "modified since", [fresh, "Last-Modified: {-100}"],
            second: ["If-Modified-Since: {-500}"], .hit, seen: 200),
        .row(
            "9110 §13.1.3", "If-None-Match beats If-Modified-Since", [fresh, tag, "Last-Modified: {-100}"],
            second: ["If-None-Match: \"b\"", "If-Modified-Since: {-50}"], .hit, seen: 200),
        .row("9111 §4.3.2", "If-Match is the origin's", [fresh, tag], second: ["If-Match: \"a\""], .sent),
        .row(
            "9111 §4.3.1", "a stale response and a condition of the caller",
            ["Cache-Control: max-age=0", tag], second: ["If-None-Match: \"a\""], answer: (304, [tag]), .sent,
            seen: 304),
        .row(
            "9111 §4", "HEAD from a stored GET", [fresh, tag], method: "HEAD", .hit, seen: 200,
            fields: ["Content-Length: 10", "Age: 1"], body: ""),
    ]

    static let companions: [CacheRow] = [
        .row(
            "5861 §3", "stale-while-revalidate",
            ["Cache-Control: max-age=1, stale-while-revalidate=10", "X-A: 1"], wait: 60, .sent),
        .row(
            "5861 §4", "stale-if-error", ["Cache-Control: max-age=1, stale-if-error=10", tag], wait: 11,
            answer: (503, []), .validated, seen: 200, fields: ["Age: 11"]),
        .row(
            "5861 §4", "stale-if-error that is over", ["Cache-Control: max-age=1, stale-if-error=10", tag],
            wait: 12, answer: (503, []), .validated, seen: 503),
        .row(
            "5861 §4", "stale-if-error of the request", ["Cache-Control: max-age=1", tag], wait: 5,
            second: ["Cache-Control: stale-if-error=10"], answer: (500, []), .validated, seen: 200),
        .row(
            "5861 §4", "stale-if-error and 404", ["Cache-Control: max-age=1, stale-if-error=10", tag],
            wait: 5, answer: (404, []), .validated, seen: 404),
        .row(
            "5861 §4, 9111 §5.2.2.2", "must-revalidate beats stale-if-error",
            ["Cache-Control: max-age=1, must-revalidate, stale-if-error=10", tag], wait: 5, answer: (503, []),
            .validated, seen: 503),
        .row(
            "5861 §3, 9111 §5.2.2.2", "must-revalidate beats stale-while-revalidate",
            ["Cache-Control: max-age=1, must-revalidate, stale-while-revalidate=10", tag], wait: 5, .validated
        ),
        .row(
            "8246 §2", "immutable beats max-age=0", ["Cache-Control: max-age=100, immutable"],
            second: ["Cache-Control: max-age=0"], .hit),
        .row(
            "8246 §2", "immutable does not beat no-cache", ["Cache-Control: max-age=100, immutable"],
            second: ["Cache-Control: no-cache"], .sent),
        .row(
            "8246 §2", "immutable ends with the freshness", ["Cache-Control: max-age=1, immutable", tag],
            wait: 5, .validated),
    ]
}
