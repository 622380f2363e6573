/// A struct of documented headers.
enum HeaderRenderer {
    static func declaration(
        _ name: String, _ comment: String, _ headers: [OperationPlan.HeaderPlan]
    ) -> SwiftDeclaration {
        let initializer = SwiftDeclaration(
            "init", .function([.init("fields", "HTTPFields")]), .block([.assign("self.fields", "fields")]))
        let members = headers.map { header in
            let comment = SwiftText.comment(header.text, "The `\(SwiftText.oneLine(header.name))` header.")
            return SwiftDeclaration(
                comment, "var " + header.member, .variable(.optional(header.type)),
                .inline(.return(header.call.on("self.fields"))))
        }
        return SwiftDeclaration(
            [comment], "nonisolated struct " + name, .type(["ResponseHeaders"]),
            .members([[.init("let fields", .variable("HTTPFields"))], [initializer]] + members.map { [$0] }))
    }
}
