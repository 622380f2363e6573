import Testing

/// A requirement of RFC 9111 or a companion that concerns a private cache, as two requests for one URI.
///
/// The origin replies to the first request with ``reply``. After ``wait`` seconds the second request is made. In header
/// lines `{n}` stands for the date that is n seconds from now, `{n:850}` and `{n:asctime}` for its obsolete forms.
struct CacheRow: Sendable, CustomTestStringConvertible {
    /// What becomes of the second request.
    enum Outcome: Sendable {
        /// The origin does not see it.
        case hit
        /// The origin sees it, without conditions of the cache.
        case sent
        /// The origin sees it with the validators of the stored response.
        case validated
    }

    /// A request between the two, and what the origin replies to it.
    struct Between: Sendable {
        var method = "GET"
        var lines: [String] = []
        var status = 200
        var reply: [String] = []
    }

    var section: String
    var name: String
    var status = 200
    var reply: [String]
    var first: [String] = []
    var between: Between?
    var wait = 1
    var method = "GET"
    var second: [String] = []
    /// The status and the lines of the reply to the second request; those of the first one by default. Conditional requests
    /// get 304.
    var answer: (status: Int, lines: [String])?
    var expects: Outcome
    /// The status that the caller gets for the second request, if it is not the usual one.
    var seen: Int?
    /// Header fields that the caller gets for the second request: `Name: value`, or `!Name` for none.
    var fields: [String] = []
    var body: String?

    var testDescription: String { "\(section): \(name)" }
}

extension CacheRow {
    static func row(
        _ section: String, _ name: String, _ reply: [String], status: Int = 200, first: [String] = [],
        between: Between? = nil, wait: Int = 1, method: String = "GET", second: [String] = [],
        answer: (status: Int, lines: [String])? = nil, _ expects: Outcome, seen: Int? = nil,
        fields: [String] = [], body: String? = nil
    ) -> CacheRow {
        CacheRow(
            section: section, name: name, status: status, reply: reply, first: first, between: between,
            wait: wait, method: method, second: second, answer: answer, expects: expects, seen: seen,
            fields: fields, body: body)
    }
}
