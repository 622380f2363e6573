/// A document in the form that is rendered.
struct APIDocument {
    struct Component {
        let name: String
        let pointer: JSONPointer
        let schema: Schema
    }

    let title: String
    let version: String
    let summary: String?
    let text: String?
    let servers: [APIServer]
    /// The descriptions of tags.
    let tags: [ExactText: String]
    let securitySchemes: [SecurityScheme]
    /// Ordered by path, then by method, independent of the order of keys.
    let operations: [Operation]
    /// The number of operations whose path cannot be requested.
    var skippedOperations = 0
    /// Webhooks, and each operation's callbacks.
    let events: [EventSet]
    /// `components/schemas`, by name.
    let components: [Component]
    let declarations: [JSONPointer: Declaration]
    /// The validation rules of request values. Empty if validation is off.
    var rules = RuleTable.empty
}
