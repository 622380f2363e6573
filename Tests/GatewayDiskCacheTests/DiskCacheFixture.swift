import Foundation
import GatewayCore
import GatewayResilience
import GatewaySQLite
import GatewayTesting

@testable import GatewayDiskCache

/// A directory with the file of a store, which is removed with it.
final class DiskCacheFixture: Sendable {
    let directory: String
    let path: String

    init() throws {
        directory =
            FileManager.default.temporaryDirectory
            .appending(path: "disk-cache-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        path = directory + "/http.sqlite"
    }

    deinit { try? FileManager.default.removeItem(atPath: directory) }

    func store(
        byteLimit: Int = 16 << 20, clock: any GatewayClock = ManualClock(), pageLimit: Int? = nil,
        isReadOnly: Bool = false, fileSystem: String? = nil,
        onErasing: (@Sendable () async -> Void)? = nil
    ) -> DiskCacheStore {
        DiskCacheStore(
            path: path, byteLimit: byteLimit, clock: clock, pageLimit: pageLimit, isReadOnly: isReadOnly,
            fileSystem: fileSystem, onErasing: onErasing)
    }

    static func key(_ target: String = "/books", account: String = "ada") throws -> CacheKey {
        CacheKey(
            partition: CachePartition(owner: .account(account)),
            origin: try Origin("https://api.example.com"),
            target: target)
    }

    static func head(_ id: UInt64, bytes: Int, fields: HTTPFields = ["ETag": "\"1\""]) -> CachedHead {
        CachedHead(
            id: .init(id), status: 200, fields: fields, requested: .seconds(1_767_225_600),
            received: .seconds(1_767_225_601), selecting: [:], bodyBytes: bytes, isDecoded: false)
    }

    /// Stores a text as a response's body.
    func put(
        _ id: UInt64, _ text: String, _ key: CacheKey, in store: DiskCacheStore
    ) async throws(CacheStoreError) {
        let body = Array(text.utf8)
        try await store.put(Self.head(id, bytes: body.count), body: body, for: key, replacing: [])
    }

    /// A connection of another process.
    func other() throws -> SQLiteConnection {
        try SQLiteConnection(path: path, isReadOnly: false, busyTimeout: .zero)
    }

    /// Whether a text is in any file of the directory.
    func holds(_ text: String) throws -> Bool {
        for name in try FileManager.default.contentsOfDirectory(atPath: directory) {
            let data = try Data(contentsOf: URL(fileURLWithPath: directory + "/" + name))
            if data.range(of: Data(text.utf8)) != nil { return true }
        }
        return false
    }

    func bytes() throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: path))) }

    func write(_ bytes: [UInt8]) throws {
        for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
        try Data(bytes).write(to: URL(fileURLWithPath: path))
    }

    func mode(_ suffix: String = "") throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path + suffix)[.posixPermissions] as? Int
    }
}

/// The code of what a body throws; `nil` if it throws nothing.
func code(_ body: () async throws(CacheStoreError) -> Void) async -> CacheStoreError.Code? {
    do { try await body() } catch { return error.code }
    return nil
}
