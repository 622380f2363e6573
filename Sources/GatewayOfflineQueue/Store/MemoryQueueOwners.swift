import GatewayCore

/// The engines that use a store in memory.
final class MemoryQueueOwners: Sendable {
    private final class Ownership: QueueOwnership {
        let owner: QueueOwner
        private let owners: MemoryQueueOwners

        init(_ owner: QueueOwner, _ owners: MemoryQueueOwners) { (self.owner, self.owners) = (owner, owners) }

        deinit { owners.living.withLock { _ = $0.remove(owner) } }

        func hasEnded(_ other: QueueOwner) -> Bool { !owners.living.withLock { $0.contains(other) } }
    }

    private let living = Locked<Set<QueueOwner>>([])

    func join(_ random: any RandomSource) -> any QueueOwnership {
        let owner = QueueOwner(random.next())
        living.withLock { _ = $0.insert(owner) }
        return Ownership(owner, self)
    }
}
