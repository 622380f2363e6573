/// The servers of a document as members of the client's `Server`.
struct ServerPlan {
    struct Parameter {
        let variable: APIServer.Variable
        /// Not escaped.
        let name: String
        var type: SwiftType
        /// The default argument.
        var fallback: Expression?
        /// The text of the value.
        var text: Expression
    }

    let server: APIServer
    /// Not escaped.
    let name: String
    let parameters: [Parameter]
}

/// A variable with an `enum`, as a Swift enum.
struct ServerEnum {
    let name: String
    let variable: APIServer.Variable
    let cases: [(name: String, value: String)]
}
