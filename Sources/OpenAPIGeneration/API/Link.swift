/// A link from a response to another operation, with the values to pass.
struct Link {
    let name: String
    let status: Response.Status
    /// The place of the other operation.
    let target: JSONPointer
    /// Values or runtime expressions, by parameter name.
    let parameters: [(name: String, value: String)]
    /// The value of the body. Nil: not defined.
    let body: String?
}

/// A Link Object whose target is not yet resolved.
struct LinkObject {
    let name: String
    let node: Node
    let position: SourcePosition
}
