import GatewayCore
import Testing

@Suite struct BaggageTests {
    @Test(arguments: [
        ("", ""), ("a=1", "a=1"), (" a = 1 ; p=2 ;q , b=2", "a=1;p=2 ;q,b=2"), ("a=1,,b=2", "a=1,b=2"),
        ("a=%20x%C3%A9", "a=%20x%C3%A9"), ("a=x=y", "a=x=y"), ("a=", "a="), ("a", ""), ("=1", ""),
        ("a b=1,c=2", "c=2"), ("a=1,a=2", "a=2"), ("a=\"1\"", ""), ("a=1\\", ""), ("a=\u{E9}", ""),
    ])
    func membersAreReadAndWritten(value: String, field: String) {
        #expect(Baggage(values: [value]).field == field)
    }

    @Test func valuesAreEncoded() throws {
        let member = try #require(Baggage.Member("key", "a b,c;d%\"\\\u{E9}"))
        let baggage = Baggage([member])
        #expect(baggage.field == "key=a%20b%2Cc%3Bd%25%22%5C%C3%A9")
        #expect(Baggage(fields: ["Baggage": baggage.field]) == baggage)
        #expect(baggage["key"] == "a b,c;d%\"\\\u{E9}" && baggage["Key"] == nil)
        #expect(Baggage.Member("a b", "1") == nil && Baggage.Member("a", "1", properties: "x,y") == nil)
        #expect(Baggage.Member("a", "1", properties: "x\r\n") == nil)
    }

    @Test func whatExceedsALimitIsLeftOut() throws {
        let many = Baggage(values: [(0..<100).map { "k\($0)=1" }.joined(separator: ",")])
        #expect(many.members.count == 64 && many.members.first?.key == "k0")
        let large = Baggage(values: ["a=1", "b=" + String(repeating: "x", count: 8_192), "c=3"])
        #expect(large.field == "a=1,c=3")
        let longest = "b=" + String(repeating: "x", count: 8_190)
        #expect(Baggage(values: [longest]).field == longest)
    }

    @Test func severalFieldsAreOne() {
        var fields = HTTPFields()
        fields.append("baggage", "a=1")
        fields.append("Baggage", "b=2")
        #expect(Baggage(fields: fields).field == "a=1,b=2")
    }
}
