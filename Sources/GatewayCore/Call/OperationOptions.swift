/// Options by operation, for hand-written and generated calls.
///
/// ```swift
/// configuration.operations = ["listPets": CallOptions(deadline: .seconds(2)), "createOrder": CallOptions(priority: .high)]
/// ```
public struct OperationOptions: Sendable, ExpressibleByDictionaryLiteral {
    private var options: [String: CallOptions] = [:]

    /// No options.
    public init() {}

    /// Options by operation ID; the last of several for the same operation counts.
    public init(dictionaryLiteral elements: (String, CallOptions)...) {
        options = Dictionary(elements, uniquingKeysWith: { $1 })
    }

    /// The options of an operation, by its ID.
    public subscript(id: String) -> CallOptions? {
        get { options[id] }
        set { options[id] = newValue }
    }

    /// All options by operation ID, in the order of the IDs.
    package var sorted: [(id: String, options: CallOptions)] {
        options.sorted { $0.key < $1.key }.map { (id: $0.key, options: $0.value) }
    }

    /// The options of a call: the call's over the operation's over the client's. What they all leave open is the engine's
    /// configuration.
    public func merged(
        call: CallOptions, operation: Operation?, client: CallOptions? = nil
    ) -> CallOptions {
        var merged = call
        if !options.isEmpty, let operation, let own = options[operation.id] { merged = merged.over(own) }
        return client.map { merged.over($0) } ?? merged
    }
}
