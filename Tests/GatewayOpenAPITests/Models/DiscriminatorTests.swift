import GatewayJSON
import GatewayOpenAPI
import Testing

/// The value of a discriminator is decided by the type of the branch.
@Suite struct DiscriminatorTests {
    private func text(_ model: some JSONEncodable) throws -> String {
        String(decoding: try model.jsonBytes(), as: UTF8.self)
    }

    @Test func aBranchWritesItsOwnValue() throws {
        #expect(
            try text(Parcels.Step.delivered(.init(to: "Rex")))
                == #"{"kind":"delivered","to":"Rex"}"#)
        #expect(try text(Parcels.Remark.warning(.init())) == #"{"kind":"warning"}"#)
        let step = try Parcels.Step(jsonBytes: Array(#"{"kind":"delivered","to":"Rex"}"#.utf8))
        guard case .delivered(let delivery) = step else { throw Failed() }
        #expect(delivery.kind == "delivered" && delivery.to == "Rex")
    }

    /// Of several values for one branch, the caller chooses.
    @Test func aBranchWithSeveralValuesChoosesAmongThem() throws {
        #expect(try text(Parcels.Step.transportStep(.init(kind: .rail))) == #"{"kind":"rail"}"#)
        #expect(Parcels.TransportStep.Kind.knownCases.map(\.rawValue) == ["rail", "road"])
        #expect(Parcels.NoteStep.Kind.knownCases.map(\.rawValue) == ["info", "none"])
        let note = Parcels.NoteStep(kind: .value(.info), text: "a")
        #expect(try text(Parcels.Remark.info(note)) == #"{"kind":"info","text":"a"}"#)
    }

    /// A branch that is received by itself keeps what was received.
    @Test(arguments: [#"{"kind":"returned","to":"x"}"#, #"{"kind":"delivered","to":""}"#])
    func whatIsReceivedIsKept(json: String) throws {
        #expect(try text(try Parcels.DeliveryStep(jsonBytes: Array(json.utf8))) == json)
    }

    @Test(arguments: [
        #"{"pet_type":"Cat","name":"Tom"}"#, #"{"pet_type":"cachorro","bark":"loud"}"#,
        #"{"fins":2,"pet_type":"Fish"}"#,
    ])
    func aBaseReadsWhatExtendsIt(json: String) throws {
        #expect(try text(try Ledger.Pet(jsonBytes: Array(json.utf8))) == json)
    }

    @Test func anInnerDiscriminatorSelectsInItsHierarchy() throws {
        let nested = #"{"kind":"Mid","sub":"LeafB","b":"x"}"#
        let root = try Ledger.Root(jsonBytes: Array(nested.utf8))
        guard case .mid(.leafB(let leaf)) = root else { throw Failed() }
        #expect(leaf.b == "x")
        #expect(try text(root) == nested)
        let direct = Array(#"{"kind":"LeafA","sub":"LeafA","a":"y"}"#.utf8)
        guard case .leafA(let outer) = try Ledger.Root(jsonBytes: direct) else { throw Failed() }
        guard case .leafA(let inner) = try Ledger.Mid(jsonBytes: direct) else { throw Failed() }
        #expect(outer.a == "y" && inner.kind == .leafA)
        #expect(
            try text(Ledger.Mid.leafA(.init(kind: .mid, a: "z"))) == #"{"kind":"Mid","sub":"LeafA","a":"z"}"#)
    }

    private struct Failed: Error {}
}
