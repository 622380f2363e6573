import GatewayJSON
import GatewayOpenAPI
import Testing

/// Values have the type that the document declares, in the document Ledger.
@Suite struct DeclaredTypeTests {
    @Test func literalsHaveTheDeclaredType() throws {
        let text =
            #"{"crossing":"false","country":"on","code":"2","version":"1.10","#
            + #""constant":"7","flag":"true","only":"2024"}"#
        let literals = try Ledger.Literals(jsonBytes: Array(text.utf8))
        #expect(String(decoding: try literals.jsonBytes(), as: UTF8.self) == text)
        #expect(literals.constant == "7" && literals.only == "2024")
        #expect(Ledger.Literals.Crossing.knownCases.map(\.rawValue) == ["regular", "false", "dead-end"])
        #expect(Ledger.Literals.Country.knownCases.map(\.rawValue) == ["DK", "on", "off", "Y", "n"])
        #expect(Ledger.Literals.Code.knownCases.map(\.rawValue) == ["1", "2", "007"])
        #expect(Ledger.Literals.Version.knownCases.map(\.rawValue) == ["1.10", "2.0"])
        #expect(Ledger.Literals.Flag.knownCases.map(\.rawValue) == ["true", "false"])
        #expect(Ledger.Literals.Code.knownCases.contains(literals.code))
    }
}
