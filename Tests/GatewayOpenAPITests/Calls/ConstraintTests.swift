import GatewayClient
import GatewayTesting
import Testing

/// What the document demands of values, checked before anything is sent, as the configuration asks.
@Suite struct ConstraintTests {
    private typealias Order = Market.Order
    private typealias Constraint = ConstraintViolation.Constraint

    /// How a call ended that must not be made.
    private func violation(
        _ order: Market.Order, area: String = "ab", limit: Int? = nil, tags: [String]? = nil
    ) async throws -> ConstraintViolation? {
        let engine = ScriptedEngine(.status(204))
        let market = MarketClient(engine: engine)
        do {
            try await market.createOrder(area: area, order, limit: limit, xTags: tags)
        } catch {
            #expect(error.code == .constraintViolated)
            #expect(engine.requests.isEmpty)
            return try #require(error.networkError?.underlying as? ConstraintViolation)
        }
        #expect(engine.requests.count == 1)
        return nil
    }

    @Test(arguments: [
        Order(id: "ab"), Order(id: "äöüß"), Order(id: "ab", colour: .green, open: .unrecognized("three")),
        Order(id: "ab", count: -2, labels: ["a": "bc"], lines: ["ab", "cd"], price: 10.49),
        Order(id: "ab", count: 9_007_199_254_740_993, either: .string("abc"), price: 0.01),
        Order(
            id: "ab", either: .integer(3), inner: .value(.init(id: "cd")),
            shape: .box(.init(side: 1))),
        Order(id: "ab", extended: .init(kind: "disc", radius: 7), inner: .null),
    ])
    func whatKeepsThemIsSent(order: Market.Order) async throws {
        let found = try await violation(order, limit: 100, tags: ["abc", "b"])
        #expect(found == nil)
    }

    @Test(
        arguments: [
            (Order(id: "a"), "$.id", .minLength, "2"),
            (Order(id: "abcde"), "$.id", .maxLength, "4"),
            (Order(id: "a1"), "$.id", .pattern, #"^\p{L}+$"#),
            (Order(id: "ab", colour: .unrecognized("blue")), "$.colour", .oneOfTheValues, ""),
            (Order(id: "ab", price: 0), "$.price", .exclusiveMinimum, "0"),
            (Order(id: "ab", price: 10.5), "$.price", .exclusiveMaximum, "10.5"),
            (Order(id: "ab", price: 0.015), "$.price", .multipleOf, "0.01"),
            (Order(id: "ab", count: -3), "$.count", .minimum, "-2"),
            (Order(id: "ab", count: 9_007_199_254_740_994), "$.count", .maximum, "9007199254740993"),
            (Order(id: "ab", lines: []), "$.lines", .minItems, "1"),
            (Order(id: "ab", lines: ["ab", "cd", "ef"]), "$.lines", .maxItems, "2"),
            (Order(id: "ab", lines: ["ab", "ab"]), "$.lines", .uniqueItems, ""),
            (Order(id: "ab", lines: ["ab", "c"]), "$.lines[1]", .minLength, "2"),
            (Order(id: "ab", labels: [:]), "$.labels", .minProperties, "1"),
            (Order(id: "ab", labels: ["a": "ab", "b": "ab", "c": "ab"]), "$.labels", .maxProperties, "2"),
            (Order(id: "ab", labels: ["odd name": "x"]), "$.labels[#0]", .minLength, "2"),
            (Order(id: "ab", inner: .value(.init(id: "c"))), "$.inner.id", .minLength, "2"),
            (Order(id: "ab", shape: .disc(.init(radius: -1))), "$.shape.radius", .minimum, "0"),
            (Order(id: "ab", shape: .box(.init(side: 0))), "$.shape.side", .minimum, "1"),
            (Order(id: "ab", either: .string("abcd")), "$.either", .maxLength, "3"),
            (Order(id: "ab", either: .integer(4)), "$.either", .maximum, "3"),
            (Order(id: "ab", extended: .init(kind: "disc", radius: -1)), "$.extended.radius", .minimum, "0"),
            (Order(id: "ab", extended: .init(kind: "disc", radius: 8)), "$.extended.radius", .maximum, "7"),
        ] as [(Market.Order, String, ConstraintViolation.Constraint, String)])
    func whatBreaksOneIsNot(
        order: Market.Order, path: String, constraint: ConstraintViolation.Constraint, bound: String
    ) async throws {
        let found = try #require(try await violation(order))
        #expect(found.subject == "body")
        #expect(found.path == path)
        #expect(found.constraint == constraint)
        #expect(found.bound == bound)
    }

    @Test func parametersAreChecked() async throws {
        let order = Market.Order(id: "ab")
        let area = try #require(try await violation(order, area: "AB"))
        #expect(area.description == "path area, $: pattern ^[a-z]{2}$")
        let limit = try #require(try await violation(order, limit: 101))
        #expect(limit.description == "query limit, $: maximum 100")
        #expect(try await violation(order, limit: 0)?.constraint == .minimum)
        #expect(try await violation(order, tags: ["a", "b", "c"])?.constraint == .maxItems)
        #expect(try await violation(order, tags: ["a", "bbbb"])?.path == "$[1]")
    }

    @Test func formsAreChecked() async throws {
        let engine = ScriptedEngine(.status(204))
        let market = MarketClient(engine: engine)
        func path(_ form: Market.CreateOrderMultipartBody) async -> String? {
            do {
                try await market.createOrder(area: "ab", multipart: form)
            } catch {
                return (error.networkError?.underlying as? ConstraintViolation)?.path
            }
            return nil
        }
        #expect(await path(.init(count: 6)) == "$.count")
        #expect(await path(.init(note: "abcd")) == "$.note")
        #expect(await path(.init(files: [.bytes([]), .bytes([])])) == "$.files")
        #expect(engine.requests.isEmpty)
        #expect(await path(.init(count: 5, files: [.bytes([1])], note: "abc")) == nil)
        #expect(engine.requests.count == 1)
    }

    /// The error names places and bounds, and no value.
    @Test func nothingOfTheValueIsPrinted() async throws {
        let market = MarketClient(engine: ScriptedEngine(.status(204)))
        do {
            try await market.createOrder(area: "ab", .init(id: "SECRET"))
            Issue.record("sent")
        } catch {
            #expect(!"\(error)".contains("SECRET") && !error.messageForPeople.contains("SECRET"))
            #expect(
                error.message
                    == "createOrder: The document does not allow this value: body, $.id: maxLength 4")
        }
    }
}
