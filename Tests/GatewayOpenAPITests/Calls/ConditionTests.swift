import GatewayClient
import GatewayTesting
import Testing

/// `if`, `not`, `contains` and the dependent keywords in requests, in the document Foundry.
@Suite struct ConditionTests {
    private typealias Payment = Foundry.Payment

    /// How a call ended that must not be made.
    private func violation(_ payment: Foundry.Payment) async throws -> ConstraintViolation? {
        let engine = ScriptedEngine(.json(200, #"{"method":"cash"}"#))
        do {
            _ = try await FoundryClient(engine: engine).postPayment(payment)
        } catch {
            #expect(error.code == .constraintViolated)
            #expect(engine.requests.isEmpty)
            return try #require(error.networkError?.underlying as? ConstraintViolation)
        }
        #expect(engine.requests.count == 1)
        return nil
    }

    @Test(arguments: [
        Payment(method: .card, number: "1234"), Payment(method: .cash), Payment(method: .cash, till: 1),
        // Only the other branch of the condition has a rule for it.
        Payment(method: .cash, number: "x"), Payment(method: .card, number: "1234", till: 0),
        Payment(method: .bill, discount: 1, reason: "r"), Payment(method: .bill, reason: "r"),
        Payment(method: .cash, gift: false, note: "n"), Payment(method: .cash, code: "0001"),
        Payment(method: .cash, steps: [10, 11], tags: ["a", "checked"]),
        Payment(method: .cash, steps: [1, 10, 20, 30], tags: ["checked", "checked"]),
    ])
    func whatKeepsThemIsSent(payment: Foundry.Payment) async throws {
        let found = try await violation(payment)
        #expect(found == nil)
    }

    @Test(
        arguments: [
            (Payment(method: .card), "$", .required, "number"),
            (Payment(method: .card, number: "12"), "$.number", .pattern, "^[0-9]{4}$"),
            (Payment(method: .cash, till: 0), "$.till", .minimum, "1"),
            (Payment(method: .cash, code: "0000"), "$.code", .not, ""),
            (Payment(method: .cash, tags: ["a"]), "$.tags", .contains, ""),
            (Payment(method: .cash, tags: []), "$.tags", .contains, ""),
            (Payment(method: .cash, steps: [10, 1]), "$.steps", .minContains, "2"),
            (Payment(method: .cash, steps: [10, 11, 12, 13]), "$.steps", .maxContains, "3"),
            (Payment(method: .cash, discount: 0), "$", .required, "reason"),
            (Payment(method: .cash, gift: false), "$", .required, "note"),
        ] as [(Foundry.Payment, String, ConstraintViolation.Constraint, String)])
    func whatBreaksOneIsNot(
        payment: Foundry.Payment, path: String, constraint: ConstraintViolation.Constraint, bound: String
    ) async throws {
        let found = try #require(try await violation(payment))
        #expect(found.path == path)
        #expect(found.constraint == constraint)
        #expect(found.bound == bound)
    }

    /// Properties that only `then`, `else` or `dependentSchemas` have are members. Responses are not validated.
    @Test func membersOfConditionsAreReadAndSent() async throws {
        let text = #"{"method":"cash","note":"n","number":"x","till":1}"#
        let engine = ScriptedEngine(.json(200, text))
        let client = FoundryClient(engine: engine)
        let payment = try await client.postPayment(.init(method: .cash))
        #expect(payment == .init(method: .cash, note: "n", number: "x", till: 1))
        _ = try await client.postPayment(payment)
        #expect(engine.requests.last?.bodyText == text)
    }
}
