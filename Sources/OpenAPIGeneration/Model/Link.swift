/// Where a response leads on: another operation, and what it takes of this one.
struct Link {
    let name: String
    let status: Response.Status
    /// The place of the other operation.
    let target: JSONPointer
    /// Parameters and the values or runtime expressions that they take, by name.
    let parameters: [(name: String, value: String)]
    /// What the body is; nil where nothing is said.
    let body: String?
}

/// A Link Object with its name, before anybody knows where it leads.
struct LinkObject {
    let name: String
    let node: Node
    let position: SourcePosition
}
