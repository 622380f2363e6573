import Testing

@testable import OpenAPIGeneration

/// Where an answer leads on: told at the operation, and warned about only where nobody knows.
@Suite struct LinkTests {
    private func rendered(_ links: String) -> Rendered {
        Rendered(
            paths: """
                /books:
                  post:
                    operationId: createBook
                    responses:
                      '201': { description: Done., links: { \(links) } }
                      default: { description: Not., links: { again: { operationId: createBook } } }
                /books/{id}:
                  get:
                    tags: [shelf]
                    operationId: getBook
                    parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
                    responses: { '204': { description: Done. } }
                """,
            rest:
                "components: { links: { found: { operationId: getBook, parameters: { id: '$response.body#/id' } } } }"
        )
    }

    private static let line =
        "/// A 201 response links to `shelf.getBook` (link `book`): `id` is `$response.body#/id`."

    @Test(arguments: [
        "book: { operationId: getBook, parameters: { id: '$response.body#/id' } }",
        "book: { operationRef: '#/paths/~1books~1%7Bid%7D/get', parameters: { id: '$response.body#/id' } }",
        "book: { $ref: '#/components/links/found' }",
    ])
    func aLinkIsTold(link: String) {
        let rendered = rendered(link)
        #expect(rendered.findings.isEmpty)
        #expect(rendered.contains(Self.line))
        #expect(rendered.contains("/// Any other response links to `createBook` (link `again`)."))
    }

    @Test func aBodyIsToldToo() {
        let rendered = rendered("book: { operationId: getBook, requestBody: '$request.body' }")
        #expect(rendered.contains("(link `book`): the body is `$request.body`."))
    }

    @Test(arguments: [
        ("book: { operationId: none }", "no such operation \"none\""),
        ("book: {}", "\"operationId\" or \"operationRef\" is required"),
        (
            "book: { operationRef: 'https://e.com/#/paths/~1a/get' }",
            "\"https://e.com/#/paths/~1a/get\" is not an operation of this document"
        ),
    ])
    func oneThatLeadsNowhereIsReported(link: String, reason: String) {
        let rendered = rendered(link)
        #expect(rendered.findings == ["8:47 warning unsupported-operation"])
        #expect(rendered.printed.contains("the link \"book\" cannot be resolved: " + reason))
    }

    @Test func aMisspelledKeywordIsReported() {
        let rendered = rendered("book: { operationID: getBook }")
        #expect(rendered.rules.contains("unknown-keyword"))
    }

    @Test func aHostileLinkStaysAComment() {
        let rendered = rendered(
            #""b`\n}": { operationId: getBook, parameters: { "x\nlet y = 1": "`\n\u2028z" } }"#)
        #expect(
            rendered.source.split(separator: "\n").allSatisfy {
                !$0.hasPrefix("let y") && !$0.hasPrefix("}z")
            })
        #expect(rendered.contains("(link `b }`): `x let y = 1` is `z`."))
    }
}
