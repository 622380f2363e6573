import Testing

@testable import GatewayAuth

@Suite struct TokenKeyTests {
    @Test func orderAndRepetitionDoNotCount() {
        #expect(TokenKey(scopes: ["b", "a", "b"]) == TokenKey(scopes: ["a", "b"]))
    }

    @Test func everyPartCounts() {
        let keys: [TokenKey] = [
            TokenKey(), TokenKey(issuer: "x"), TokenKey(client: "x"), TokenKey(tenant: "x"),
            TokenKey(subject: "x"), TokenKey(scopes: ["x"]), TokenKey(audiences: ["x"]),
            TokenKey(tenant: ""), TokenKey(subject: ""), TokenKey(scopes: [""]), TokenKey(audiences: [""]),
            TokenKey(scopes: ["x", "y"]), TokenKey(scopes: ["x,y"]), TokenKey(scopes: ["x;"]),
            TokenKey(scopes: ["x|"]), TokenKey(scopes: ["x%2Cy"]), TokenKey(scopes: ["x", ""]),
            TokenKey(resources: ["x"]), TokenKey(resources: [""]), TokenKey(binding: "x"),
            TokenKey(binding: ""),
            TokenKey(resources: ["x"], binding: "x"), TokenKey(resources: ["x"], binding: ""),
            TokenKey(issuer: "x;|"), TokenKey(issuer: "x", client: "y"), TokenKey(issuer: "xy"),
        ]
        #expect(Set(keys.map(\.canonical)).count == keys.count)
        #expect(Set(keys).count == keys.count)
    }

    /// A step-up asks for other scopes, and for nothing else than before.
    @Test func whatIsWidenedIsElseTheSame() {
        func key(_ scopes: [String]) -> TokenKey {
            TokenKey(
                issuer: "i", client: "c", tenant: "t", subject: "s", scopes: scopes, audiences: ["a"],
                resources: ["r"], binding: "b")
        }
        #expect(key(["x"]).widened(to: ["x", "y"]) == key(["y", "x"]))
    }
}
