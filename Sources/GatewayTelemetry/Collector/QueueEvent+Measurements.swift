import GatewayCore

extension QueueEvent {
    /// What the event means for the instruments.
    var measurements: [Measurement] {
        switch self {
        case .stored: [.count(.queueStored, [])]
        case .refused: [.count(.queueRefusals, [])]
        case .attempted(_, _, let result, _, let age):
            [.count(.queueAttempts, [result.rawValue])]
                + (result == .done ? [.duration(.queueAge, [], age)] : [])
        case .moved(_, let state): [.count(.queueMoves, [state])]
        case .reclaimed: [.count(.queueMoves, ["reclaimed"])]
        case .depth(let queued, let needingAttention):
            [
                .set(.queueEntries, ["queued"], to: Double(queued)),
                .set(.queueEntries, ["needing_attention"], to: Double(needingAttention)),
            ]
        case .held(let reason): [.set(.queueHeld, [], to: reason == nil ? 0 : 1)]
        case .storeFailed(let code): [.count(.queueStoreFailures, [code])]
        case .recovered: [.count(.queueStoreFailures, ["recovered"])]
        }
    }

    /// The kind as metrics and logs name it.
    var name: String {
        switch self {
        case .stored: "queue_stored"
        case .refused: "queue_refused"
        case .attempted: "queue_attempted"
        case .moved: "queue_moved"
        case .reclaimed: "queue_reclaimed"
        case .depth: "queue_depth"
        case .held: "queue_held"
        case .storeFailed: "queue_store_failed"
        case .recovered: "queue_recovered"
        }
    }
}
