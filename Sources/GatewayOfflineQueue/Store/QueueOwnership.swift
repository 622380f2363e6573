/// The life of an engine that sends entries of a store. It ends when it is released, or with the process.
public protocol QueueOwnership: AnyObject, Sendable {
    /// Identifies the engine.
    var owner: QueueOwner { get }

    /// Whether the life of another engine has ended. `false` without a proof: time is none.
    func hasEnded(_ other: QueueOwner) -> Bool
}
