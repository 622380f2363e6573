public import GatewayCore

/// The queue as a part of the engine that it sends with.
extension OfflineQueueEngine: EnginePart {
    /// The state `sending`, or why nothing is sent, and the numbers of entries from the last check.
    ///
    /// It is ready except if its file is lost: entries that wait are sent later.
    public func partHealth() async -> PartHealth? {
        let status = await drain.status
        return PartHealth(
            name: "queue", state: status.hold?.description ?? "sending",
            counts: [
                "queued": status.queued, "sending": status.sending,
                "needing_attention": status.needingAttention,
            ],
            isReady: status.hold != .fileLost)
    }

    /// The same as ``stop(within:)``.
    public func end(until deadline: Deadline) async {
        await stop(within: max(.zero, deadline.remaining(at: configuration.clock.time)))
    }
}
