/// The constant parts of an operation.
@_spi(Generated) public struct OperationDescriptor: Sendable {
    let id: StaticString
    let method: StaticString
    let path: StaticString
    let accept: StaticString
    /// The requirements in disjunctive normal form: alternatives by line, schemes by tab, each followed by its
    /// scopes, by space. `nil`: the operation is not secured.
    let security: StaticString?
    /// The form of generated idempotency keys. `nil`: none is generated.
    let idempotencyKey: IdempotencyKeyForm?

    /// Creates a descriptor.
    public init(
        id: StaticString, method: StaticString, path: StaticString, accept: StaticString,
        security: StaticString?, idempotencyKey: IdempotencyKeyForm?
    ) {
        self.id = id
        self.method = method
        self.path = path
        self.accept = accept
        self.security = security
        self.idempotencyKey = idempotencyKey
    }
}
