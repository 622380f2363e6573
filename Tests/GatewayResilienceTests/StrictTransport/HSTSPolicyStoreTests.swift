import GatewayCore
import GatewayResilience
import GatewayTesting
import Testing

@Suite struct HSTSPolicyStoreTests {
    private static func learned(
        _ value: String, from origin: String = "https://a.example", in store: HSTSPolicyStore
    ) throws {
        store.record(["Strict-Transport-Security": value], from: try Origin(origin))
    }

    private static func upgraded(_ origin: String, by store: HSTSPolicyStore) throws -> String {
        store.upgraded(try Origin(origin)).description
    }

    /// RFC 6797 §8.2 and §8.3.
    @Test(arguments: [
        ("max-age=60", "http://a.example", "https://a.example"),
        ("max-age=60", "http://A.Example:80", "https://a.example"),
        ("max-age=60", "http://a.example:8080", "https://a.example:8080"),
        ("max-age=60", "http://a.example.", "https://a.example."),
        ("max-age=60", "https://a.example", "https://a.example"),
        ("max-age=60", "https://a.example:8443", "https://a.example:8443"),
        ("max-age=60", "http://b.a.example", "http://b.a.example"),
        ("max-age=60; includeSubDomains", "http://b.a.example", "https://b.a.example"),
        ("max-age=60; includeSubDomains", "http://c.b.a.example:81", "https://c.b.a.example:81"),
        ("max-age=60; includeSubDomains", "http://ba.example", "http://ba.example"),
        ("max-age=60; includeSubDomains", "http://example", "http://example"),
        ("max-age=60; includeSubDomains", "http://a.example.org", "http://a.example.org"),
        ("nonsense", "http://a.example", "http://a.example"),
    ])
    func whereARequestGoes(policy: String, origin: String, expected: String) throws {
        let store = HSTSPolicyStore()
        try Self.learned(policy, in: store)
        #expect(try Self.upgraded(origin, by: store) == expected)
    }

    /// Over http anybody on the way could have said it (RFC 6797 §8.1), and an address is no name (§8.1.1).
    /// Other spellings of addresses are no origins.
    @Test(arguments: ["http://a.example", "https://127.0.0.1", "https://[::1]"])
    func fromWhomNothingIsLearned(origin: String) throws {
        let store = HSTSPolicyStore()
        try Self.learned("max-age=60; includeSubDomains", from: origin, in: store)
        #expect(store.count == 0)
        let plain = origin.replacing("https", with: "http").lowercased()
        #expect(try Self.upgraded(plain, by: store) == plain)
    }

    /// An address is not below a name either.
    @Test func anAddressIsNeverTurned() throws {
        let store = HSTSPolicyStore()
        store.record(
            ["Strict-Transport-Security": "max-age=60; includeSubDomains"], from: try Origin("https://b1"))
        #expect(store.count == 1)
        #expect(try Self.upgraded("http://10.0.0.1", by: store) == "http://10.0.0.1")
    }

    @Test func aPolicyExpires() throws {
        let clock = ManualClock()
        let store = HSTSPolicyStore(clock: clock)
        try Self.learned("max-age=60", in: store)
        clock.advance(by: .seconds(59))
        #expect(try Self.upgraded("http://a.example", by: store) == "https://a.example")
        clock.advance(by: .seconds(1))
        #expect(try Self.upgraded("http://a.example", by: store) == "http://a.example")
    }

    /// The last response counts, in the same words and in others.
    @Test func aPolicyIsRenewed() throws {
        let clock = ManualClock()
        let store = HSTSPolicyStore(clock: clock)
        for _ in 0..<3 {
            try Self.learned("max-age=60; includeSubDomains", in: store)
            clock.advance(by: .seconds(50))
            #expect(try Self.upgraded("http://b.a.example", by: store) == "https://b.a.example")
        }
        try Self.learned("max-age=60", in: store)
        #expect(try Self.upgraded("http://b.a.example", by: store) == "http://b.a.example")
        #expect(try Self.upgraded("http://a.example", by: store) == "https://a.example")
        try Self.learned("max-age=5", in: store)
        clock.advance(by: .seconds(5))
        #expect(try Self.upgraded("http://a.example", by: store) == "http://a.example")
    }

    /// RFC 6797 §6.1.1: zero makes the host forgotten, not those above it.
    @Test func zeroIsForgetting() throws {
        let store = HSTSPolicyStore()
        try Self.learned("max-age=60; includeSubDomains", in: store)
        try Self.learned("max-age=60", from: "https://b.a.example", in: store)
        try Self.learned("max-age=0", from: "https://b.a.example", in: store)
        #expect(store.count == 1)
        #expect(try Self.upgraded("http://b.a.example", by: store) == "https://b.a.example")
        try Self.learned("max-age=0; includeSubDomains", in: store)
        #expect(store.count == 0)
        #expect(try Self.upgraded("http://a.example", by: store) == "http://a.example")
    }

    /// A field that does not conform changes nothing, and of several the first counts (RFC 6797 §8.1).
    @Test func theFirstFieldCounts() throws {
        let store = HSTSPolicyStore()
        try Self.learned("max-age=60", in: store)
        try Self.learned("max-age=0; max-age=0", in: store)
        #expect(store.count == 1)
        var fields: HTTPFields = ["Strict-Transport-Security": "max-age=0"]
        fields.append("Strict-Transport-Security", "max-age=60")
        store.record(fields, from: try Origin("https://a.example"))
        #expect(store.count == 0)
        store.record(["Content-Type": "text/plain"], from: try Origin("https://a.example"))
        #expect(store.count == 0)
    }

    /// The port is not part of it: a host is known on all of them.
    @Test func portsAreOneHost() throws {
        let store = HSTSPolicyStore()
        try Self.learned("max-age=60", from: "https://a.example:8443", in: store)
        #expect(try Self.upgraded("http://a.example", by: store) == "https://a.example")
    }

    /// A server with many names cannot fill the memory, nor push out who is heard of all the time.
    @Test func itIsBounded() throws {
        let clock = ManualClock()
        let store = HSTSPolicyStore(capacity: 4, clock: clock)
        for number in 0..<100 {
            try Self.learned("max-age=9000", in: store)
            try Self.learned("max-age=9999", from: "https://x\(number).example", in: store)
        }
        #expect(store.count == 4)
        #expect(try Self.upgraded("http://a.example", by: store) == "https://a.example")
        #expect(try Self.upgraded("http://x96.example", by: store) == "http://x96.example")
        #expect(try Self.upgraded("http://x97.example", by: store) == "https://x97.example")
        // Who has expired goes first, all at once.
        clock.advance(by: .seconds(9500))
        try Self.learned("max-age=60", from: "https://y.example", in: store)
        #expect(store.count == 4)
        #expect(try Self.upgraded("http://x97.example", by: store) == "https://x97.example")
        store.removeAll()
        #expect(store.count == 0)
    }
}
