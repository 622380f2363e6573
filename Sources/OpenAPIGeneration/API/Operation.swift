/// One operation: a method on a path.
struct Operation {
    /// The place under `paths`. Names and files depend on it.
    let pointer: JSONPointer
    /// The place of its definition, after references are resolved.
    let source: JSONPointer
    let position: SourcePosition
    /// In upper case.
    let method: String
    /// As written. A fragment is not sent; it distinguishes operations.
    let path: String
    let id: String?
    let tags: [String]
    let summary: String?
    let text: String?
    let isDeprecated: Bool
    /// Path, query, header and cookie, in the order of the document's arrays: path level first.
    let parameters: [Parameter]
    @Indirect var body: RequestBody?
    let responses: [Response]
    let security: SecurityRequirement
    /// The servers of the operation or its path. Empty: the servers of the document.
    let servers: [APIServer]
    /// The form of the generated `Idempotency-Key`. Nil: none is generated.
    let idempotencyKey: IdempotencyKeyForm?
    /// The links of the responses.
    var links: [Link] = []

    /// The name in descriptions and messages.
    var name: String { id ?? method + " " + path }
}
