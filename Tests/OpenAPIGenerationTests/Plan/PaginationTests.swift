import Testing

@testable import OpenAPIGeneration

@Suite struct PaginationTests {
    private func document(
        parameters: [(String, String)], page: String, headers: String = "", configuration: String? = nil
    ) -> Rendered {
        let list = parameters.map { "{ name: \($0.0), in: query, schema: { type: \($0.1) } }" }
        return Rendered(
            """
            openapi: 3.1.0
            info: { title: T, version: '1' }
            paths:
              /a:
                get:
                  operationId: list
                  parameters: [\(list.joined(separator: ", "))]
                  responses:
                    '200':
                      description: A page.
                      \(headers.isEmpty ? "x-none: 1" : "headers: { \(headers): { schema: { type: string } } }")
                      content: { application/json: { schema: \(page) } }
            components:
              schemas:
                Item: { type: object, required: [id], properties: { id: { type: string } } }
                Meta: { type: object, properties: { next: { type: string }, total: { type: integer } } }
            """, configuration: configuration)
    }

    private static let items = "{ type: array, items: { $ref: '#/components/schemas/Item' } }"

    private static func page(_ properties: String, required: String = "data") -> String {
        "{ type: object, required: [\(required)], properties: { data: \(items), \(properties) } }"
    }

    @Test(arguments: [
        ([("cursor", "string")], "next_cursor: { type: string }", "PageTurn.cursor(\"cursor\")"),
        (
            [("after", "string")], "has_more: { type: boolean }, last_id: { type: string }",
            "PageTurn.cursor(\"after\")"
        ),
        (
            [("starting_after", "string")], "has_more: { type: boolean }",
            "PageTurn.cursor(\"starting_after\")"
        ),
        (
            [("page", "string")], "has_more: { type: boolean }, next_page: { type: [string, 'null'] }",
            "PageTurn.cursor(\"page\")"
        ),
        ([("Page", "integer"), ("PageToken", "string")], "next_page_uri: { type: string }", "PageTurn.url"),
        (
            [("page", "integer")],
            "_links: { type: object, properties: { next: { type: object, properties: { href: { type: string } } } } }",
            "PageTurn.url"
        ),
        ([("offset", "integer")], "meta: { $ref: '#/components/schemas/Meta' }", "PageTurn.url"),
        // A URL is requested, not sent as a cursor.
        ([("cursor", "string")], "next: { type: [string, 'null'], format: uri }", "PageTurn.url"),
        ([("cursor", "string")], "next_cursor: { type: string, format: uri }", "PageTurn.url"),
        (
            [("cursor", "string")], "links: { type: object, properties: { next: { type: string } } }",
            "PageTurn.url"
        ),
        (
            [("cursor", "string")],
            "_links: { type: object, properties: { next: { type: object, properties: { href: { type: string } } } } }",
            "PageTurn.url"
        ),
        ([("offset", "integer")], "total: { type: integer }", "PageTurn.offset(\"offset\")"),
        (
            [("startIndex", "integer")], "totalResults: { type: integer }",
            "PageTurn.offset(\"startIndex\", first: 1)"
        ),
        (
            [("page", "integer, default: 0")], "total_pages: { type: integer }",
            "PageTurn.number(\"page\", first: 0)"
        ),
    ])
    func theUsualFormsAreKnown(parameters: [(String, String)], properties: String, turn: String) {
        let rendered = document(parameters: parameters, page: Self.page(properties))
        #expect(rendered.contains("func listAll("))
        #expect(rendered.contains(turn), "\(turn)")
    }

    /// A cursor is preferred to a URL of the same page.
    @Test func aCursorBesideAURLIsTheCursor() {
        let paging =
            "paging: { type: object, properties: { cursors: { type: object, properties: { after: { type: string } } }, next: { type: string, format: uri } } }"
        let rendered = document(parameters: [("after", "string")], page: Self.page(paging))
        #expect(rendered.contains("PageTurn.cursor(\"after\")"))
        #expect(rendered.contains("var _pageCursor: String? { return self.paging?.cursors?.after }"))
    }

    /// The configuration decides.
    @Test func aConfiguredCursorMayBeAURL() {
        let rendered = document(
            parameters: [("cursor", "string")], page: Self.page("next: { type: string, format: uri }"),
            configuration: "pagination: { list: { kind: cursor } }")
        #expect(rendered.findings.isEmpty)
        #expect(rendered.contains("PageTurn.cursor(\"cursor\")"))
    }

    @Test(arguments: [
        ([("cursor", "string")], "next_cursor: { type: integer }"),
        ([("after", "string")], "last_id: { type: string }"),
        ([("limit", "integer")], "total: { type: integer }"),
        ([("offset", "string")], "total: { type: integer }"),
        ([("cursor", "string")], "other: { type: array, items: { type: string } }"),
    ])
    func whatIsNoPageIsNone(parameters: [(String, String)], properties: String) {
        #expect(!document(parameters: parameters, page: Self.page(properties)).contains("func listAll("))
    }

    @Test func aLinkHeaderHasToBeDocumented() {
        let parameters = [("per_page", "integer")]
        let linked = document(parameters: parameters, page: Self.items, headers: "Link")
        #expect(linked.contains("PagedItems<ArrayPage<Test.Item>, Test.ListFailure>"))
        #expect(linked.contains("PageTurn.link"))
        #expect(!document(parameters: parameters, page: Self.items).contains("func listAll("))
    }

    @Test func theConfigurationGoesBeforeTheForms() {
        let parameters = [("from", "string"), ("cursor", "string")]
        let page = Self.page("next_cursor: { type: string }, meta: { $ref: '#/components/schemas/Meta' }")
        let other = document(
            parameters: parameters, page: page,
            configuration: "pagination: { list: { parameter: from, next: meta.next } }")
        #expect(other.findings.isEmpty)
        #expect(other.contains("PageTurn.cursor(\"from\")"))
        #expect(other.contains("var _pageCursor: String? { return self.meta?.next }"))
        let none = document(parameters: parameters, page: page, configuration: "pagination: { list: false }")
        #expect(!none.contains("func listAll("))
        let wrong = document(
            parameters: parameters, page: page, configuration: "pagination: { list: { next: nowhere } }")
        #expect(wrong.rules == ["configuration"])
    }

    @Test func aPageTypeIsReadInOneWay() {
        func rendered(_ configuration: String? = nil) -> Rendered {
            Rendered(
                """
                openapi: 3.1.0
                info: { title: T, version: '1' }
                paths:
                  /a: { get: { operationId: first, parameters: [{ name: cursor, in: query, schema: { type: string } }], responses: { '200': { $ref: '#/components/responses/Page' } } } }
                  /b: { get: { operationId: second, parameters: [{ name: offset, in: query, schema: { type: integer } }], responses: { '200': { $ref: '#/components/responses/Page' } } } }
                components:
                  responses: { Page: { description: d, content: { application/json: { schema: { $ref: '#/components/schemas/Page' } } } } }
                  schemas:
                    Page: { type: object, required: [items], properties: { items: { type: array, items: { type: string } }, next_cursor: { type: string }, total: { type: integer } } }
                """, configuration: configuration)
        }
        let inferred = rendered()
        #expect(inferred.contains("func firstAll(") && !inferred.contains("func secondAll("))
        #expect(inferred.findings == ["5:14 warning unsupported-operation"])
        #expect(inferred.printed.contains("another operation uses the page type with different fields"))
        #expect(rendered("pagination: { second: false }").findings.isEmpty)
        let configured = rendered("pagination: { second: { kind: offset } }")
        #expect(configured.findings.isEmpty && configured.contains("func secondAll("))
    }

    @Test func aKindIsOneOfThose() {
        let wrong = document(
            parameters: [("from", "integer")], page: Self.items,
            configuration: "pagination: { list: { kind: offsets, parameter: from } }")
        #expect(wrong.rules == ["configuration"])
        #expect(wrong.printed.contains("did you mean \"offset\"?"))
        let none = document(
            parameters: [("from", "integer")], page: Self.items,
            configuration: "pagination: { list: { kind: page, parameter: form } }")
        #expect(none.rules == ["configuration"])
        let page = document(
            parameters: [("from", "integer")], page: Self.items,
            configuration: "pagination: { list: { kind: page, parameter: from } }")
        #expect(page.contains("PageTurn.number(\"from\")"))
    }

    @Test func pagesThatAreReadOtherwiseAreNone() {
        let rendered = Rendered(
            """
            openapi: 3.1.0
            info: { title: T, version: '1' }
            paths:
              /a: { get: { operationId: a, parameters: [{ name: cursor, in: query, schema: { type: string } }], responses: { '200': { content: { application/json: { schema: { $ref: '#/components/schemas/P' } } } } } } }
              /b: { get: { operationId: b, parameters: [{ name: offset, in: query, schema: { type: integer } }], responses: { '200': { content: { application/json: { schema: { $ref: '#/components/schemas/P' } } } } } } }
            components:
              schemas:
                P: { type: object, properties: { data: { type: array, items: { type: string } }, next: { type: string } } }
            """)
        #expect(rendered.contains("func aAll("))
        #expect(rendered.source.split(separator: "\n").filter { $0.contains(": CursorPage {") }.count == 1)
    }
}
