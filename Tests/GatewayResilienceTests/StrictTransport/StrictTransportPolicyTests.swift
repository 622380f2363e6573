import Testing

@testable import GatewayResilience

@Suite struct StrictTransportPolicyTests {
    /// RFC 6797 §6.1, §6.2.
    @Test(arguments: [
        ("max-age=31536000", 31_536_000, false),
        ("max-age=15768000 ; includeSubDomains", 15_768_000, true),
        ("max-age=\"31536000\"", 31_536_000, false),
        ("max-age=0", 0, false),
        ("max-age=0; includeSubDomains", 0, true),
        ("includeSubDomains; max-age=1", 1, true),
        ("INCLUDESUBDOMAINS;MAX-AGE=1", 1, true),
        ("max-age = 1", 1, false),
        (" ; ;max-age=1; ;", 1, false),
        // Directives that nobody knows, with values that look like more.
        ("max-age=1; preload", 1, false),
        ("max-age=1; note=\"; includeSubDomains; \\\" max-age=2\"", 1, false),
        ("max-age=1; note=x", 1, false),
        // A hundred years are enough.
        ("max-age=99999999999999999999999999", 3_155_760_000, false),
    ])
    func whatConforms(value: String, seconds: Int64, includesSubdomains: Bool) throws {
        let policy = try #require(StrictTransportPolicy(value))
        #expect(policy.maxAge == .seconds(seconds) && policy.includesSubdomains == includesSubdomains)
    }

    @Test(arguments: [
        "", "includeSubDomains", "max-age", "max-age=", "max-age=\"\"", "max-age=-1", "max-age=1.5",
        "max-age=1s",
        "max-age=0x10", "max-age=1; max-age=2", "max-age=1; includeSubDomains; includesubdomains",
        "max-age=1; includeSubDomains=true", "max-age=1, max-age=2", "max-age=1 includeSubDomains",
        "max-age=\"1", "max-age=1; =x", "max-age=1; x=", "max-age=1; \"x\"", "max-age=1; ä=1", "max-age=+1",
        "max-age=١",
    ])
    func whatDoesNot(value: String) { #expect(StrictTransportPolicy(value) == nil) }
}
