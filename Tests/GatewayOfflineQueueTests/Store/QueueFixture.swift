import Foundation
import GatewayCore
import GatewayQueueTesting
import Glibc

@testable import GatewayOfflineQueue

/// A directory that is removed with its files.
final class QueueDirectory: Sendable {
    let path: String

    init() {
        var template = Array("/tmp/queue-XXXXXX".utf8CString)
        path = String(cString: mkdtemp(&template))
    }

    var file: String { path + "/queue.sqlite" }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }
}

extension QueueTime {
    static let start = conformanceStart
}

extension QueueItem {
    static func sample(
        _ text: String = "{}", at now: QueueTime = .start, _ change: (inout QueueRequest) -> Void = { _ in }
    ) throws -> QueueItem {
        try conformanceSample(text, at: now, change)
    }
}
