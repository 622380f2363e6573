import Testing

@testable import OpenAPIGeneration

@Suite struct OwnTypeTests {
    private let document = """
        openapi: 3.1.0
        info: { title: T, version: '1' }
        paths:
          /orders/{code}:
            post:
              operationId: pay
              parameters:
                - { name: code, in: path, required: true, schema: { type: string, format: code } }
                - { name: price, in: query, schema: { $ref: '#/components/schemas/Money' } }
                - { name: codes, in: query, schema: { type: array, items: { type: string, format: code } } }
              requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/Order' } } } }
              responses:
                '200':
                  description: d
                  content: { application/json: { schema: { $ref: '#/components/schemas/Money' } } }
        components:
          schemas:
            Money:
              type: object
              required: [amount]
              properties: { amount: { type: string }, parts: { type: string } }
            Card: { type: object, required: [number], properties: { number: { type: string } } }
            Order:
              type: object
              required: [total]
              properties:
                total: { $ref: '#/components/schemas/Money' }
                tip: { anyOf: [{ $ref: '#/components/schemas/Money' }, { type: 'null' }] }
                all: { type: array, items: { $ref: '#/components/schemas/Money' } }
                named: { type: object, additionalProperties: { $ref: '#/components/schemas/Money' } }
                code: { type: string, format: code, maxLength: 3 }
                by: { oneOf: [{ $ref: '#/components/schemas/Money' }, { $ref: '#/components/schemas/Card' }] }
        """

    private let money = "types: { '#/components/schemas/Money': Payments.Money }\n"

    private func run(_ configuration: String, _ text: String? = nil, lock: String? = nil) -> Rendered {
        Rendered(text ?? document, path: "api.yaml", configuration: configuration, lock: lock)
    }

    @Test func aTypeHasThePlaceOfASchema() throws {
        let rendered = run(money)
        #expect(rendered.findings == [])
        for line in [
            "public import Payments\n", "public typealias Money = Payments.Money",
            "var total: Payments.Money\n",
            "var all: [Payments.Money]?", "var named: [String: Payments.Money]?",
        ] { #expect(rendered.contains(line), "\(line)") }
        #expect(!rendered.contains("struct Money"))
        #expect(!run("").contains("import Payments"))
        let codable = run(
            "types: { '#/components/schemas/Money': { type: Payments.Money, coding: codable } }")
        #expect(codable.contains("var total: CodableValue<Payments.Money>\n"))
        // A type of the module itself has the name that the schema would have.
        let own = run("types: { '#/components/schemas/Money': Money }")
        #expect(own.findings == [])
        #expect(own.contains("var total: Money\n"))
        #expect(!own.contains("typealias Money"))
    }

    @Test func aFormatHasAType() {
        let rendered = run("formats: { code: Payments.Code }")
        #expect(rendered.findings == [])
        #expect(rendered.contains("var code: Payments.Code?"))
        #expect(run("formats: { cod: Payments.Code }").printed.contains("no schema has the format \"cod\""))
    }

    @Test func parametersHaveTheType() {
        let rendered = run(money + "formats: { code: Payments.Code }")
        #expect(rendered.contains("code: Payments.Code,"))
        #expect(rendered.contains(".path(\"code\", code)"))
        #expect(rendered.contains(".queryValue(\"price\", price, .formExploded)"))
        #expect(rendered.contains("codes: [Payments.Code]? = nil"))
        #expect(rendered.contains(".queryArray(\"codes\", codes, .formExploded)"))
    }

    @Test func branchesAreToldApart() {
        let rendered = run(money)
        #expect(rendered.contains("case money(Payments.Money)"))
        #expect(rendered.contains("case card(Test.Card)"))
        #expect(!rendered.rules.contains("ambiguous-union"))
    }

    @Test(arguments: [
        ("types: { '#/components/schemas/Mony': Payments.Money }", "is not in the document"),
        ("types: { '#/paths/~1orders~1{code}/post': Payments.Money }", "is not a schema"),
        ("types: { '#/components/schemas/Money': 'Payments.1' }", "is not the name of a Swift type"),
        ("types: { '#/components/schemas/Money': 'Payments.Money; x' }", "is not the name of a Swift type"),
        ("types: { '#/components/schemas/Money': Card }", "is also the generated type of"),
        ("types: { '#/components/schemas/Money': Card.Money }", "is also the generated type of"),
        ("types: { '#/components/schemas/Money': Test.Money }", "is also the name of the client"),
        ("types: { '#/components/schemas/Money': { type: Field } }", "generated code uses the name"),
        (
            "types: { '#/components/schemas/Money': { type: Money, codng: codable } }",
            "did you mean \"coding\"?"
        ),
        ("types: { '#/components/schemas/Money': Decimals }", "did you mean \"Decimal\"?"),
    ])
    func whatCannotBeUsedIsAnError(configuration: String, message: String) {
        let rendered = run(configuration)
        #expect(rendered.output.hasErrors)
        #expect(rendered.printed.contains("c.yaml:1:"))
        #expect(rendered.printed.contains(message))
    }

    @Test func whatIsNotSentIsReported() {
        let text = """
            openapi: 3.1.0
            info: { title: T, version: '1' }
            paths:
              /a:
                post:
                  operationId: send
                  requestBody:
                    content:
                      multipart/form-data:
                        schema: { type: object, properties: { file: { type: string, format: binary } } }
                  responses:
                    '200': { description: d, content: { text/plain: { schema: { type: string, format: code } } } }
            """
        let rendered = run("formats: { binary: A.B, code: A.C }", text)
        #expect(rendered.printed.contains("\"A.B\" cannot contain a file"))
        #expect(rendered.printed.contains("\"A.C\" is not used"))
    }

    @Test func replacedSchemasAreNotReported() {
        let odd = document.replacing(
            "Card: {", with: "Odd: { oneOf: [{ type: string }], anyOf: [{ type: integer }, {}] }\n    Card: {"
        )
        #expect(run("", odd).rules.contains("unsupported-schema"))
        #expect(run("types: { '#/components/schemas/Odd': Payments.Odd }", odd).findings == [])
    }

    @Test func namesAndChangesStay() throws {
        let plain = run("")
        let own = run(money)
        #expect(
            own.output.names["#/components/schemas/Order"] == plain.output.names["#/components/schemas/Order"]
        )
        #expect(own.output.names["#/components/schemas/Money"] == "Money")
        var generator = Generator(namespace: "Test")
        generator.configuration = .init(bytes: Array(money.utf8), path: "c.yaml")
        let changed = document.replacing("required: [amount]", with: "required: [amount, parts]")
        let report = try generator.diff(
            .init(bytes: Array(document.utf8), path: "a.yaml"), NoDocuments(),
            .init(bytes: Array(changed.utf8), path: "a.yaml"), NoDocuments())
        #expect(!report.changes.isEmpty)
    }
}
