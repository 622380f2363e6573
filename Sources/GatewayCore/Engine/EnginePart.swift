/// A part of a service that ends with its engine and adds to the engine's health, such as an offline queue, a network
/// monitor, another engine, or an object of your own.
///
/// ```swift
/// extension Importer: EnginePart {
///     func end(until deadline: Deadline) async { await stop() }
/// }
///
/// engine.join(importer)
/// ```
public protocol EnginePart: AnyObject, Sendable {
    /// Whether it ends after the calls in progress, such as a log. Defaults to `false`, for parts that make calls: they
    /// end while the engine still accepts calls.
    var endsAfterCalls: Bool { get }

    /// The state now; `nil`, the default, if there is nothing to show. It must not wait for I/O.
    func partHealth() async -> PartHealth?

    /// Ends the part in an orderly way: starts nothing new, and lets work in progress finish until the deadline.
    ///
    /// It is called once, also if the deadline has passed. The engine does not wait longer than the deadline.
    func end(until deadline: Deadline) async
}

extension EnginePart {
    /// `false`.
    public var endsAfterCalls: Bool { false }
    /// `nil`.
    public func partHealth() async -> PartHealth? { nil }
}

/// The state of an ``EnginePart``.
public struct PartHealth: Hashable, Sendable {
    /// The name of the part, such as `queue`. It may be printed.
    public var name: String
    /// The state in a few words, such as `sending` or `offline`. It may be printed, and must contain no secret.
    public var state: String
    /// Numbers by name, such as `queued`.
    public var counts: [String: Int]
    /// Whether the service can do its work with the part in this state.
    public var isReady: Bool

    /// Creates a state.
    public init(name: String, state: String, counts: [String: Int] = [:], isReady: Bool = true) {
        self.name = name
        self.state = state
        self.counts = counts
        self.isReady = isReady
    }
}
