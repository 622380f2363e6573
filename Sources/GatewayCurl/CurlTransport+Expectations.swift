import GatewayCore
import Synchronization

/// The expected size of the next response, from previous responses. A wrong expectation costs an allocation.
extension CurlTransport {
    /// The maximum content size to allocate in advance. Larger contents get their own allocation.
    private static let mostBytes = 4096
    private static let mostFields = 32

    /// Memory for one response, of the expected size.
    var expectedRoom: Transfer.Room {
        var room: Transfer.Room = (HTTPFields(), [])
        room.fields.reserveCapacity(expectedFields.load(ordering: .relaxed))
        room.body.reserveCapacity(expectedBytes.load(ordering: .relaxed))
        return room
    }

    /// Updates the expectations with a response. Writes only changes, because all callers share the values.
    func learn(from response: ReceivedResponse) {
        learn(min(response.fields.count, Self.mostFields), expectedFields)
        // Empty content is ignored: it may be a stream, or the response to HEAD.
        let count = response.body.count
        guard count > 0, count <= Self.mostBytes else { return }
        learn(count, expectedBytes)
    }

    /// Increases immediately, and decreases if more than half is unused, so that responses of varying size do not
    /// change the value.
    private func learn(_ count: Int, _ expected: borrowing Atomic<Int>) {
        let known = expected.load(ordering: .relaxed)
        if count > known || count < known / 2 { expected.store(count, ordering: .relaxed) }
    }
}
