/// The operation of a call: what events, metrics and options are grouped by. Low in cardinality: it has a path template,
/// never a path.
///
/// A literal is an operation: `engine.send(request, operation: "listBooks")`. Names that are made at run time come from
/// ``init(runtimeID:method:template:)``, which bounds their number.
public struct Operation: Hashable, Sendable {
    // On the heap, because contexts, events and the keys of metrics have their operation.
    private final class Parts: Sendable {
        let id: String
        let method: HTTPMethod?
        let template: String

        init(_ id: String, _ method: HTTPMethod?, _ template: String) {
            self.id = id
            self.method = method
            self.template = template
        }
    }

    private let parts: Parts

    /// The operation's ID, such as `listBooks`.
    public var id: String { parts.id }
    /// The request's method, if it is fixed.
    public var method: HTTPMethod? { parts.method }
    /// The path with its parameters in braces, such as `/books/{id}`; empty if it is not known. It is OpenTelemetry's
    /// `url.template`.
    public var template: String { parts.template }

    /// Makes an operation. The ID and the template must come from the program's text, not from its input.
    public init(_ id: String, method: HTTPMethod? = nil, template: String = "") {
        parts = Parts(id, method, template)
    }

    /// Whether ID, method and template are equal.
    public static func == (a: Operation, b: Operation) -> Bool {
        a.parts === b.parts || (a.id == b.id && a.method == b.method && a.template == b.template)
    }

    // The ID is nearly always enough to tell operations apart.
    /// Hashes the ID.
    public func hash(into hasher: inout Hasher) { hasher.combine(id) }

    /// Makes an operation whose ID is computed, such as one read from a document.
    ///
    /// The process keeps the first 1,000 such operations. Every later one is ``other``, so that metrics do not grow with
    /// their input.
    public init(runtimeID id: String, method: HTTPMethod? = nil, template: String = "") {
        self = OperationTable.shared.operation(Operation(id, method: method, template: template))
    }

    /// Every operation past the bound of ``init(runtimeID:method:template:)``.
    public static let other = Operation("_OTHER")
}

extension Operation: ExpressibleByStringLiteral {
    /// Makes an operation with an ID.
    public init(stringLiteral id: String) { self.init(id) }
}

extension Operation: CustomStringConvertible {
    /// The ID.
    public var description: String { id }
}

/// The operations with computed IDs, bounded in number.
final class OperationTable: Sendable {
    static let shared = OperationTable(capacity: 1_000)

    private let capacity: Int
    private let known = Locked<Set<Operation>>([])

    init(capacity: Int) { self.capacity = capacity }

    /// The operation itself if it is known or there is room for it, otherwise ``Operation/other``.
    func operation(_ operation: Operation) -> Operation {
        known.withLock { known in
            if known.contains(operation) { return operation }
            guard known.count < capacity else { return .other }
            known.insert(operation)
            return operation
        }
    }
}
