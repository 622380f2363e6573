/// A method call without its receiver.
struct MethodCall: Hashable {
    var method: String
    var arguments: [Expression]

    func on(_ receiver: String) -> Expression { .call(.name(receiver + "." + method), arguments) }
}
