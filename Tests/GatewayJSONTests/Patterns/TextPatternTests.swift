import Testing

@testable import GatewayPatterns

/// Regular expressions of documents.
@Suite struct TextPatternTests {
    private func matches(_ pattern: String, _ text: String) throws -> Bool? {
        var work = TextPattern.work
        return try #require(TextPattern(pattern)).matches(text, work: &work)
    }

    @Test(arguments: [
        ("^[0-9a-f]{8}$", "0123abcd", true), ("^[0-9a-f]{8}$", "0123abcde", false), ("a|b", "xb", true),
        ("^(?:ab|c){2,3}$", "abcab", true), ("^(?:ab|c){2,3}$", "ab", false), ("^a{2,}?$", "aaaa", true),
        ("^[^a-f]+$", "xyz", true), ("^[^a-f]+$", "xaz", false), ("^[\\w.-]+$", "a_1.b-", true),
        ("^\\d+\\.\\d*$", "12.", true), ("^(?=.*[0-9])[a-z0-9]+$", "ab1", true),
        ("^(?!0)[0-9]+$", "01", false), ("^(?<year>[0-9]{4})$", "2024", true), ("^(a?){40}$", "aaa", true),
        ("^(a?){2}$", "aaa", false), ("^$", "", true), ("^(a*)*$", "aaaa", true), ("", "anything", true),
        ("^(?:a(?!b)|b)+$", "aab", false), ("^(?:a(?!c)|b)+$", "aab", true), ("^(?!(?=a)ab)", "ab", false),
        ("\\bword\\b", "a word.", true), ("\\bword\\b", "swords", false), ("^a$", "a\n", false),
        ("^é$", "\u{E9}", true), ("^\u{E9}$", "e\u{301}", false), ("^.$", "\u{1F600}", true),
        ("^\\uD83D\\uDE00\\u{41}\\x42$", "\u{1F600}AB", true), ("^\\p{L}+$", "Zoë", true),
        ("^\\p{Lu}\\P{N}$", "A1", false), ("^[^\\p{L}\\d]$", "-", true), ("^[\\D]$", "1", false),
        ("^[^\\D]$", "1", true), ("^[\\d-x]+$", "1-x", true), ("\\A[a-z]+\\z", "abc", true),
        ("^[\\s\\S]$", "\n", true), ("^.$", "\n", false), ("^.{0,4096}$", "abc", true),
    ])
    func theyMatchAsTheyAreWritten(pattern: String, text: String, expected: Bool) throws {
        #expect(try matches(pattern, text) == expected)
    }

    @Test(arguments: [
        "(a", "a)", "[a", "a{2", "*a", "(?<=a)b", "(?i)a", "\\1", "a{3,2}", "a{20000}", "[z-a]",
        "[[:alpha:]]",
        "\\p{Script=Greek}", "((a{1,100}){1,100}){1,100}", String(repeating: "(", count: 40), "\\uD800",
    ])
    func othersAreNotSupported(pattern: String) {
        #expect(TextPattern(pattern) == nil)
    }

    /// The work is counted before it is done; a machine that backtracks would not end.
    @Test(arguments: ["^(a+)+$", "^(a|a)*b$", "^(.*)*x$", "^((a*)*)*b$", "^(?=(a+)+$)a*b$"])
    func theWorkIsProportionalToTheText(pattern: String) throws {
        let pattern = try #require(TextPattern(pattern))
        let (short, long) = (String(repeating: "a", count: 999), String(repeating: "a", count: 9_999))
        #expect(pattern.work(for: long) == 10 * pattern.work(for: short))
        var work = TextPattern.work
        #expect(pattern.matches(long + "!", work: &work) == false)
        #expect(work > 0)
        work = pattern.work(for: long) - 1
        #expect(pattern.matches(long, work: &work) == nil)
    }
}
