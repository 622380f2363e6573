import GatewayCore
import GatewayOfflineQueue
import Testing

/// What becomes of an entry, by status.
@Suite struct QueueVerdictTests {
    private func verdict(_ status: Int, _ fields: HTTPFields = [:], wasSentBefore: Bool = false)
        -> QueueVerdict
    {
        QueueVerdict(
            .init(
                status: status, fields: fields, wasSentBefore: wasSentBefore,
                unixTime: .seconds(1_700_000_000)))
    }

    @Test func byStatus() {
        for status in 100...999 {
            let expected: QueueVerdict =
                switch status {
                case 200...299: .done
                case 401: .park
                case 407, 408, 421, 425, 429, 500, 502, 503, 504, 506...599: .retry(after: nil)
                default: .poison
                }
            #expect(verdict(status) == expected, "\(status)")
        }
    }

    @Test func aConflictIsRetriedIfAnEarlierAttemptMayBeInProgress() {
        #expect(verdict(409) == .poison)
        #expect(verdict(409, wasSentBefore: true) == .retry(after: nil))
        #expect(verdict(409, [.retryAfter: "3"]) == .retry(after: .seconds(3)))
    }

    @Test func retryAfterIsKept() {
        #expect(verdict(503, [.retryAfter: "120"]) == .retry(after: .seconds(120)))
        #expect(verdict(429, [.retryAfter: "soon"]) == .retry(after: nil))
        #expect(verdict(200, [.retryAfter: "120"]) == .done)
    }

    @Test func aReplayedFailureIsFinal() {
        #expect(verdict(500, ["Idempotent-Replayed": "true"]) == .poison)
        #expect(verdict(500, ["Idempotent-Replayed": "false"]) == .retry(after: nil))
        #expect(verdict(200, ["Idempotent-Replayed": "true"]) == .done)
    }
}
