import Foundation
import GatewayCore

/// A directory of a test's own, which goes with it.
final class TemporaryDirectory: Sendable {
    let path: String

    init() {
        path = FileManager.default.temporaryDirectory.appending(path: "gateway-" + UUID().uuidString).path
        try? FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The names of the files in it.
    var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] }

    func path(_ name: String) -> String { path + "/" + name }

    func mode(_ name: String? = nil) -> Int? {
        let path = name.map(path) ?? path
        return try? FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    func write(_ text: String, _ name: String, mode: Int = 0o600) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path(name)))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path(name))
    }

    func read(_ name: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(fileURLWithPath: path(name))), as: UTF8.self)
    }
}

/// Counts from 1.
final class Counter: Sendable {
    private let count = Locked(0)

    func next() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }
}
