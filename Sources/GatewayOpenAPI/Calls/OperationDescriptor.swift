internal import GatewayCore

/// The constant parts of an operation.
@_spi(Generated) public struct OperationDescriptor: Sendable {
    let operation: Operation
    let method: HTTPMethod
    let accept: String
    /// The security requirements in disjunctive normal form: one alternative per line, schemes separated by tabs, each
    /// followed by its scopes, separated by spaces. Empty: the operation is called without credentials. `nil`: the
    /// document says nothing, and the engine's credential is used if there is one.
    let security: StaticString?
    /// The format of generated idempotency keys; `nil` if none is generated.
    let idempotencyKey: IdempotencyKeyForm?

    var id: String { operation.id }
    var path: String { operation.template }

    /// Creates a descriptor.
    public init(
        id: String, method: String, path: String, accept: String, security: StaticString?,
        idempotencyKey: IdempotencyKeyForm?
    ) {
        self.method = HTTPMethod(method)
        operation = Operation(id, method: self.method, template: path)
        self.accept = accept
        self.security = security
        self.idempotencyKey = idempotencyKey
    }
}
