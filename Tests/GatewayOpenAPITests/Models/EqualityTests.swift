import GatewayClient
import GatewayTesting
import Testing

/// Types that are compared, as the configuration asks: structs, boxes, unions, open enums, fields, answers.
@Suite struct EqualityTests {
    private func tree(_ change: String = "") throws -> Market.Tree {
        let members =
            #""kind":"oak","branch":["a",{"kind":"elm","branch":"b"}],"trunk":{"kind":"ash","branch":[]},"#
            + #""seen":null,"any":{"x":[1,null]},"owner":"6f1c1b8e-3c1f-4b0e-9f0e-0a1b2c3d4e5f","more":[1.5]"#
        let change = change.isEmpty ? "" : "," + change
        return try Market.Tree(jsonBytes: Array("{\(members)\(change)}".utf8))
    }

    @Test func equalOnesAreEqual() throws {
        let (one, other) = (try tree(), try tree())
        #expect(one == other)
        #expect(one.hashValue == other.hashValue)
        #expect(Set([one, other]).count == 1)
    }

    @Test func whateverDiffersTells() throws {
        let one = try tree()
        var others: [Market.Tree] = []
        func changed(_ change: (inout Market.Tree) -> Void) {
            var copy = one
            change(&copy)
            others.append(copy)
        }
        changed { $0.kind = .unrecognized("elm") }
        changed { $0.branch = .string("a") }
        changed { $0.trunk?.branch = .string("deep") }
        changed { $0.trunk = nil }
        changed { $0.seen = .absent }
        changed { $0.any = nil }
        changed { $0.additionalProperties = [:] }
        #expect(others.allSatisfy { $0 != one })
        #expect(Set(others).count == others.count)
    }

    @Test func answersAreCompared() async throws {
        let found = MarketClient(
            engine: ScriptedEngine(.json(200, #"{"kind":"oak","branch":"a"}"#)))
        #expect(try await found.getTree(id: "1") == .ok(.init(kind: .oak, branch: .string("a"))))
        let missing = MarketClient(engine: ScriptedEngine(.json(404, #"{"title":"None"}"#)))
        do {
            _ = try await missing.getTree(id: "1")
            Issue.record("found")
        } catch {
            guard case .documented(let failure) = error.failure else { throw error }
            #expect(failure == .notFound(.init(title: "None")))
        }
    }
}
