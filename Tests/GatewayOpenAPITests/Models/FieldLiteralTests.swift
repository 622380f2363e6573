import GatewayJSON
import GatewayOpenAPI
import Testing

@Suite struct FieldLiteralTests {
    @Test func aLiteralIsAValue() throws {
        let unit = "kg"
        let parcel = Parcels.Parcel(
            count: 3, insured: true, labels: ["x": 1, "y": 2, "x": 3], note: "heavy, in \(unit)",
            tags: ["a", "b"], weight: 2.5)
        #expect(parcel.note == .value("heavy, in kg"))
        #expect(parcel.weight == .value(2.5))
        #expect(parcel.count == .value(3))
        #expect(parcel.insured == .value(true))
        #expect(parcel.tags == .value(["a", "b"]))
        #expect(parcel.labels == .value(["x": 3, "y": 2]))
        #expect(Parcels.Parcel(labels: [:], tags: [], weight: 2).weight == .value(2))
        var changed = parcel
        changed.note = "light"
        #expect(changed.note.orNil == "light")
    }

    /// What a caller leaves out is absent; `nil` that a caller writes is `null`.
    @Test func nilIsNull() throws {
        let parcel = Parcels.Parcel(note: nil, tags: nil)
        #expect(parcel.note == .null)
        #expect(parcel.count == .absent)
        #expect(String(decoding: try parcel.jsonBytes(), as: UTF8.self) == #"{"note":null,"tags":null}"#)
    }
}
