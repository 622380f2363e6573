import GatewayJSON
import GatewayOpenAPI
import Testing

@Suite struct EnumCaseTests {
    /// Swift reads `.none` for an optional value as nil, with a warning at most.
    @Test func noCaseIsReadAsNil() throws {
        let parcel = try Parcels.Parcel(jsonBytes: Array(#"{"handling":"none"}"#.utf8))
        #expect(parcel.handling == .none_)
        #expect(parcel.handling != nil)
        #expect(Parcels.Handling.some_.rawValue == "some")
    }

    @Test func theDocumentedValuesAreListed() {
        #expect(
            Parcels.Handling.knownCases.map(\.rawValue) == [
                "none", "some", "known-cases", "unrecognized", "rawValue", "allCases", "hash", "fragile",
            ])
        for value in Parcels.Handling.knownCases {
            #expect(Parcels.Handling(rawValue: value.rawValue) == value)
            if case .unrecognized = value { Issue.record("\(value.rawValue) is documented") }
        }
    }
}
