import GatewayClient
import GatewayTesting
import Testing

/// `patternProperties` in requests and responses, in the document Foundry.
@Suite struct PatternPropertyTests {
    private typealias Mould = Foundry.Mould

    private static let text =
        #"{"name":"m","inner":{"name":"i","at-i":{"x":5},"x-a":2},"#
        + #""open":{"id":"o","d-1":"2026-01-02","n-1":0.5,"free":[1.0]},"#
        + #""racks":[{"x-a":1},{"y-a":"s","y-b":""},{"z":1,"y-a":2}],"#
        + #""slots":[{"1":5,"22":null,"on":true},null],"x-count":3,"at-a":{"x":1,"y":2},"#
        + #""s_a":"abc","s_b":"","x-b":7,"x-b-max":9}"#

    /// How a call ended that must not be made.
    private func error(_ mould: Foundry.Mould) async throws -> NetworkError? {
        let engine = ScriptedEngine(.json(200, Self.text))
        do {
            _ = try await FoundryClient(engine: engine).putMould(name: "m", mould)
        } catch {
            #expect(engine.requests.isEmpty)
            return error.networkError
        }
        return nil
    }

    @Test func theyHaveTheirTypesAndAreSentAgain() async throws {
        let engine = ScriptedEngine(.json(200, Self.text))
        let client = FoundryClient(engine: engine)
        let mould = try await client.putMould(name: "m", .init(name: "m"))
        #expect(mould.patternProperties == ["at-a": .init(x: 1, y: 2)])
        #expect(mould.patternProperties2 == ["s_a": "abc", "s_b": ""])
        // Names that match two patterns belong to the first.
        #expect(mould.patternProperties3 == ["x-b": 7, "x-b-max": 9])
        #expect(mould.patternProperties4.isEmpty)
        // A name of a property does not belong to a pattern.
        #expect(mould.xCount == 3)
        #expect(mould.inner?.patternProperties3 == ["x-a": 2])
        #expect(mould.open?.patternProperties.mapValues(\.description) == ["d-1": "2026-01-02"])
        #expect(mould.open?.patternProperties2 == ["n-1": 0.5])
        #expect(mould.open?.additionalProperties.keys.sorted() == ["free"])
        guard case .variant1(let first)? = mould.racks?[0], case .variant2(let second)? = mould.racks?[1],
            case .variant3(let third)? = mould.racks?[2]
        else {
            Issue.record("another branch")
            return
        }
        #expect(first.patternProperties == ["x-a": 1] && third.patternProperties == ["y-a": 2])
        #expect(second.patternProperties == ["y-a": "s", "y-b": ""])
        #expect(mould.slots?.count == 2)
        #expect(mould.slots?.first??.patternProperties == ["1": 5, "22": nil])
        #expect(mould.slots?.first??.additionalProperties == ["on": true])
        _ = try await client.putMould(name: "m", mould)
        #expect(engine.requests.last?.bodyText == Self.text)
    }

    @Test(arguments: [
        #"{"name":"m","x-b":"7"}"#, #"{"name":"m","at-a":{"y":1}}"#, #"{"name":"m","slots":[{"on":1}]}"#,
        #"{"name":"m","x-count":"3"}"#,
    ])
    func aValueOfAnotherTypeIsAnError(text: String) async throws {
        let engine = ScriptedEngine(.json(200, text))
        let error = await #expect(throws: APIError<Foundry.PutMouldFailure>.self) {
            try await FoundryClient(engine: engine).putMould(name: "m", .init(name: "m"))
        }
        #expect(error?.code == .decodingFailed)
    }

    @Test(arguments: [
        Mould(name: "m", patternProperties2: ["a": "b"]),
        Mould(name: "m", patternProperties3: ["x-count": 1]),
        Mould(name: "m", patternProperties4: ["x-b-max": 1]),
        Mould(name: "m", slots: [.init(additionalProperties: ["1": true])]),
        Mould(name: "m", open: .init(additionalProperties: ["n-1": 1])),
    ])
    func aNameOfAnotherMemberIsNotSent(mould: Foundry.Mould) async throws {
        let found = try #require(try await error(mould))
        #expect(found.code == .invalidRequest)
    }

    /// Also by the schema of the second pattern that a name matches.
    @Test(
        arguments: [
            (Mould(name: "m", xCount: 0), .minimum),
            (Mould(name: "m", patternProperties2: ["s_a": "abcd"]), .maxLength),
            (Mould(name: "m", patternProperties3: ["x-b-max": 10]), .maximum),
            (Mould(name: "m", inner: Mould(name: "i", xCount: 0)), .minimum),
        ] as [(Foundry.Mould, ConstraintViolation.Constraint)])
    func valuesAreValidated(mould: Foundry.Mould, constraint: ConstraintViolation.Constraint) async throws {
        let found = try await error(mould)?.underlying as? ConstraintViolation
        #expect(found?.constraint == constraint)
    }
}
