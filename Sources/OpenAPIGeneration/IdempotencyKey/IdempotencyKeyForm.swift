/// The form of the idempotency keys that the client generates.
enum IdempotencyKeyForm: Equatable {
    case uuid
    /// Random characters.
    case text(alphabet: String, count: Int)

    /// The argument of the runtime's `OperationDescriptor`.
    var expression: Expression {
        switch self {
        case .uuid: ".uuid"
        case .text(let alphabet, let count):
            .call(".text", [.literal(alphabet), .name(String(count))])
        }
    }
}
