/// A call of a method, before it is known on what.
struct MethodCall: Hashable {
    var method: String
    var arguments: [Expression]

    func on(_ receiver: String) -> Expression { .call(.name(receiver + "." + method), arguments) }
}
