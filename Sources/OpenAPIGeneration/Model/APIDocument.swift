/// A whole document, read: what is rendered, and nothing else.
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
    /// What each tag is about.
    let tags: [String: String]
    let securitySchemes: [SecurityScheme]
    /// By path, then by method, so that the order of keys does not show.
    let operations: [Operation]
    /// Webhooks, and each operation's callbacks.
    let events: [EventSet]
    /// `components/schemas`, by name.
    let components: [Component]
    let declarations: [JSONPointer: Declaration]
    /// What is demanded of the values that are sent; empty where nothing is to be checked.
    var rules = RuleTable.empty
}
