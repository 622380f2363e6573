extension CacheRow {
    static let freshness: [CacheRow] = [
        .row("9111 §4.2.1", "max-age is fresh", ["Cache-Control: max-age=10"], wait: 9, .hit),
        .row(
            "9111 §4.2", "a response is stale at the end of max-age", ["Cache-Control: max-age=10"], wait: 10,
            .sent),
        .row("9111 §4.2.1", "max-age=0 is stale", ["Cache-Control: max-age=0"], .sent),
        .row("9111 §4.2.1", "max-age beats Expires", ["Cache-Control: max-age=10", "Expires: {-100}"], .hit),
        .row(
            "9111 §5.2.2.1", "max-age=0 beats Expires", ["Cache-Control: max-age=0", "Expires: {100}"], .sent),
        .row(
            "9111 §5.2.2.10", "s-maxage does not concern a private cache",
            ["Cache-Control: s-maxage=0, max-age=10"], .hit),
        .row("9111 §5.2.2.10", "s-maxage alone makes nothing fresh", ["Cache-Control: s-maxage=10"], .sent),
        .row("9111 §4.2.1", "Expires counts from Date", ["Expires: {100}"], wait: 50, .hit),
        .row("9111 §4.2.1", "Expires ends the freshness", ["Expires: {10}"], wait: 10, .sent),
        .row("9111 §5.3", "Expires in the past", ["Expires: {-10}"], .sent),
        .row("9111 §5.3", "Expires at Date", ["Expires: {0}"], .sent),
        .row("9111 §5.3", "Expires: 0", ["Expires: 0"], .sent),
        .row("9111 §5.3", "an empty Expires", ["Expires: "], .sent),
        .row("9111 §5.3", "a word as Expires", ["Expires: never"], .sent),
        .row("9111 §4.2.1", "two Expires", ["Expires: {100}", "Expires: {200}"], .sent),
        .row(
            "9111 §4.2.1", "an invalid max-age is stale", ["Cache-Control: max-age=abc", "Expires: {100}"],
            .sent),
        .row("9111 §4.2.1", "a negative max-age", ["Cache-Control: max-age=-10"], .sent),
        .row("9111 §4.2.1", "a decimal max-age", ["Cache-Control: max-age=10.5"], .sent),
        .row("9111 §4.2.1", "letters before the number", ["Cache-Control: max-age=a10"], .sent),
        .row("9111 §4.2.1", "letters after the number", ["Cache-Control: max-age=10a"], .sent),
        .row("9111 §4.2.1", "max-age without a value", ["Cache-Control: max-age"], .sent),
        .row("9111 §4.2.1", "max-age in single quotes", ["Cache-Control: max-age='10'"], .sent),
        .row("9111 §5.2", "max-age as a quoted string", ["Cache-Control: max-age=\"10\""], .hit),
        .row("9111 §5.2", "names in any case", ["Cache-Control: MaX-aGe=10"], .hit),
        .row("9111 §4.2.1", "different values of max-age", ["Cache-Control: max-age=10, max-age=20"], .sent),
        .row(
            "9111 §4.2.1", "the same max-age in two lines",
            ["Cache-Control: max-age=10", "Cache-Control: max-age=10"], .hit),
        .row(
            "9111 §1.2.2", "a number that overflows", ["Cache-Control: max-age=99999999999999999999"],
            wait: 1_000_000, .hit),
        .row("9111 §5.2", "a quoted comma separates nothing", ["Cache-Control: x=\"a, max-age=10\""], .sent),
        .row(
            "9111 §5.2.3", "unknown directives are ignored", ["Cache-Control: foo, max-age=10, bar=baz"], .hit
        ),
        .row("9110 §5.6.1", "empty members are ignored", ["Cache-Control: , max-age=10,,"], .hit),
        .row(
            "9111 §4.2.2", "a tenth of the time since Last-Modified", ["Last-Modified: {-1000}"], wait: 99,
            .hit),
        .row("9111 §4.2.2", "no more than a tenth", ["Last-Modified: {-1000}"], wait: 100, .validated),
        .row(
            "9111 §4.2.2", "no heuristic with explicit freshness",
            ["Last-Modified: {-100000}", "Cache-Control: max-age=5"], wait: 6, .validated),
        .row(
            "9111 §4.2.2", "no heuristic with an invalid Expires",
            ["Last-Modified: {-100000}", "Expires: 0"], .validated),
        .row("9111 §4.2.2", "no freshness without any sign", [], .sent),
        .row("9111 §4.2.2", "Last-Modified in the future", ["Last-Modified: {1000}"], .validated),
        .row("9111 §4.2.2", "a heuristic status", ["Last-Modified: {-1000}"], status: 404, .hit),
        .row("9111 §4.2.2", "a status without heuristics", ["Last-Modified: {-1000}"], status: 403, .sent),
        .row(
            "9111 §4.2.2", "public allows heuristics", ["Last-Modified: {-1000}", "Cache-Control: public"],
            status: 599, .hit),
        .row("9111 §4", "a query does not matter", ["Cache-Control: max-age=10"], .hit),
    ]

    static let dates: [CacheRow] =
        [
            ("850", CacheRow.Outcome.hit), ("asctime", .hit), ("weekdaycase", .hit), ("monthcase", .hit),
            ("gmtcase", .hit),
        ]
        .map { .row("9110 §5.6.7", "Expires, \($0.0)", ["Expires: {100000:\($0.0)}"], $0.1) }
        + ["shortyear", "shorthour", "nocomma", "doublespace", "dashes", "dots", "utc", "aest"]
        .map { .row("9110 §5.6.7", "Expires, \($0)", ["Expires: {100000:\($0)}"], .sent) }
        + [
            .row("9110 §5.6.7", "a date in parts", ["Expires: Thu, 99 Foo 2030 25:61:61 GMT"], .sent),
            .row("9110 §5.6.7", "Last-Modified of bad form", ["Last-Modified: {-1000:nocomma}"], .sent),
        ]

    static let ages: [CacheRow] = [
        .row(
            "9111 §5.1", "Age is generated", ["Cache-Control: max-age=100"], wait: 7, .hit, fields: ["Age: 7"]
        ),
        .row(
            "9111 §4.2.3", "Age of the origin is added", ["Cache-Control: max-age=100", "Age: 30"], wait: 7,
            .hit, fields: ["Age: 37"]),
        .row(
            "9111 §4.2.3", "Age counts against freshness", ["Cache-Control: max-age=100", "Age: 95"], wait: 5,
            .sent),
        .row(
            "9111 §4.2.3", "Date counts against freshness", ["Cache-Control: max-age=100", "Date: {-95}"],
            wait: 5, .sent),
        .row(
            "9111 §4.2.3", "the larger one of Date and Age",
            ["Cache-Control: max-age=100", "Date: {-20}", "Age: 30"], .hit, fields: ["Age: 31"]),
        .row(
            "9111 §4.2.3", "Date in the future is no age", ["Cache-Control: max-age=100", "Date: {1000}"],
            .hit, fields: ["Age: 1"]),
        .row(
            "9111 §5.1", "Age that is not a number is ignored", ["Cache-Control: max-age=100", "Age: abc"],
            .hit, fields: ["Age: 1"]),
        .row("9111 §5.1", "a negative Age is ignored", ["Cache-Control: max-age=100", "Age: -200"], .hit),
        .row("9111 §5.1", "the first of several Ages", ["Cache-Control: max-age=100", "Age: 200, 0"], .sent),
        .row(
            "9111 §5.1", "the first of several lines", ["Cache-Control: max-age=100", "Age: 0", "Age: 200"],
            .hit),
        .row(
            "9111 §1.2.2", "an Age that overflows",
            ["Cache-Control: max-age=100", "Age: 99999999999999999999"], .sent),
        .row(
            "9110 §6.6.1", "without Date the time of receipt counts",
            ["-Date", "Cache-Control: max-age=100"], wait: 9, .hit, fields: ["Age: 9", "Date: {-9}"]),
        .row(
            "9111 §5.1", "Date and Expires are kept", ["Expires: {100}", "Date: {-3}"], .hit,
            fields: ["Age: 4", "Expires: {99}", "Date: {-4}"]),
        .row(
            "9111 §4.2.3", "Expires and an old Date", ["Expires: {100}", "Date: {-50}", "Age: 0"], wait: 99,
            .hit),
    ]
}
