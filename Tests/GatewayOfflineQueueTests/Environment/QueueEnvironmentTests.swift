import GatewayOfflineQueue
import GatewayTesting
import Testing

/// What deployments set by variables.
@Suite struct QueueEnvironmentTests {
    typealias Configuration = OfflineQueueEngine.Configuration

    @Test func variablesReplaceDefaults() throws {
        let unset = try Configuration.environment(["GATEWAY_QUEUE_COUNT": ""])
        #expect(unset.concurrency == 4 && unset.limits == QueueLimits())
        let set = try Configuration.environment([
            "GATEWAY_QUEUE_CONCURRENCY": "9", "GATEWAY_QUEUE_COUNT": "50", "GATEWAY_QUEUE_BYTES": "1000000",
            "GATEWAY_QUEUE_POLICY": "drop-lowest",
        ])
        #expect(set.concurrency == 9)
        #expect(set.limits == QueueLimits(count: 50, bytes: 1_000_000, policy: .dropLowest))
        #expect(
            try Configuration.environment(["GATEWAY_QUEUE_POLICY": "drop-oldest"]).limits.policy
                == .dropOldest)
        #expect(try Configuration.environment(["GATEWAY_QUEUE_POLICY": "refuse"]).limits.policy == .refuse)
    }

    @Test(arguments: [
        ("GATEWAY_QUEUE_CONCURRENCY", "0"), ("GATEWAY_QUEUE_CONCURRENCY", "1001"),
        ("GATEWAY_QUEUE_CONCURRENCY", "four"), ("GATEWAY_QUEUE_COUNT", "0"), ("GATEWAY_QUEUE_COUNT", "-1"),
        ("GATEWAY_QUEUE_BYTES", "1MB"), ("GATEWAY_QUEUE_BYTES", "99999999999999999999"),
        ("GATEWAY_QUEUE_POLICY", "dropOldest"),
    ])
    func aWrongValueNamesItsVariable(name: String, value: String) {
        let error = #expect(throws: QueueError.self) { _ = try Configuration.environment([name: value]) }
        #expect(error?.code == .invalid && error?.property == name)
        #expect(error?.message.hasPrefix("\(name): must be") == true)
        #expect(value.count < 3 || error?.message.contains(value) == false)
    }

    @Test func thePathIsAVariableOrTheDefault() throws {
        let folder = QueueDirectory()
        #expect(
            try SQLiteQueueStore.environmentPath(["GATEWAY_QUEUE_FILE": "/data/q.sqlite"]) == "/data/q.sqlite"
        )
        let path = try SQLiteQueueStore.environmentPath([
            "GATEWAY_QUEUE_FILE": "", "XDG_STATE_HOME": folder.path,
        ])
        #expect(path == folder.path + "/gateway/queue.sqlite")
        for wrong in ["q.sqlite", "/data/"] {
            let error = #expect(throws: QueueError.self) {
                _ = try SQLiteQueueStore.environmentPath(["GATEWAY_QUEUE_FILE": wrong])
            }
            #expect(error?.property == "GATEWAY_QUEUE_FILE")
        }
        let error = #expect(throws: QueueError.self) { _ = try SQLiteQueueStore.environmentPath([:]) }
        #expect(error?.property == "GATEWAY_QUEUE_FILE")
    }
}
