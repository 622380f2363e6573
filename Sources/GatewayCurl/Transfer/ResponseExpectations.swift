import GatewayCore
import Synchronization

/// The expected size of the next response, from previous responses. A wrong expectation costs an allocation.
final class ResponseExpectations: Sendable {
    /// The maximum content size to allocate in advance. Larger contents get their own allocation.
    private static let mostBytes = 4096
    private static let mostFields = 32

    private let fieldCount = Atomic<Int>(12)
    private let byteCount = Atomic<Int>(256)

    /// Memory for one response; empty if many requests are waiting, because their memory would add up.
    func room(isCrowded: Bool) -> Transfer.Room {
        var room: Transfer.Room = (HTTPFields(), [])
        guard !isCrowded else { return room }
        room.fields.reserveCapacity(fieldCount.load(ordering: .relaxed))
        room.body.reserveCapacity(byteCount.load(ordering: .relaxed))
        return room
    }

    /// Updates the expectations with a response. Writes only changes, because all callers share the values.
    func learn(from response: ReceivedResponse) {
        learn(min(response.fields.count, Self.mostFields), fieldCount)
        // Empty content is ignored: it may be a stream, or the response to HEAD.
        let count = response.body.count
        guard count > 0, count <= Self.mostBytes else { return }
        learn(count, byteCount)
    }

    /// Increases immediately, and decreases if more than half is unused, so that responses of varying size do not
    /// change the value.
    private func learn(_ count: Int, _ expected: borrowing Atomic<Int>) {
        let known = expected.load(ordering: .relaxed)
        if count > known || count < known / 2 { expected.store(count, ordering: .relaxed) }
    }
}
