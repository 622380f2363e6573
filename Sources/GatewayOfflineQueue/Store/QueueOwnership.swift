/// The lifetime of an engine that sends entries of a store. It ends when it is released, or with the
/// process.
public protocol QueueOwnership: AnyObject, Sendable {
    /// Identifies the engine.
    var owner: QueueOwner { get }

    /// Whether another engine has ended. Returns `false` without a proof, regardless of the time that has
    /// passed.
    func hasEnded(_ other: QueueOwner) -> Bool
}
