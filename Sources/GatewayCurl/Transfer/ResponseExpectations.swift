import GatewayCore
import Synchronization

/// What the next response is likely to need, judged by those before. Being wrong costs an allocation.
final class ResponseExpectations: Sendable {
    /// Small contents alone: a large one is worth an allocation of its own.
    private static let mostBytes = 4096
    private static let mostFields = 32

    private let fieldCount = Atomic<Int>(12)
    private let byteCount = Atomic<Int>(256)

    /// Room for one response; none where requests wait in a crowd, whose memory would add up.
    func room(isCrowded: Bool) -> ResponseRoom {
        guard !isCrowded else { return ResponseRoom() }
        return ResponseRoom(
            fields: fieldCount.load(ordering: .relaxed), bytes: byteCount.load(ordering: .relaxed))
    }

    /// Takes note of a response. Writes only what is news, because all callers share it.
    func learn(from response: ReceivedResponse) {
        learn(min(response.fields.count, Self.mostFields), fieldCount)
        // None at all says nothing: it may come as a stream, or be the answer to a HEAD.
        let count = response.body.count
        guard count > 0, count <= Self.mostBytes else { return }
        learn(count, byteCount)
    }

    /// Grows at once and shrinks when half is left over, so that answers of changing size leave it alone.
    private func learn(_ count: Int, _ expected: borrowing Atomic<Int>) {
        let known = expected.load(ordering: .relaxed)
        if count > known || count < known / 2 { expected.store(count, ordering: .relaxed) }
    }
}
