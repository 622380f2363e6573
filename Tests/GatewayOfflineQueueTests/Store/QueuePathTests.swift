import Foundation
import GatewayCore
import GatewayQueueTesting
import Testing

@testable import GatewayOfflineQueue

/// Where the file of a queue may be.
@Suite(.timeLimit(.minutes(2))) struct QueuePathTests {
    private let directory = QueueDirectory()

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    /// queue.path
    @Test(
        arguments: [
            (0x6969, nil), (0x517B, nil), (0xFF53_4D42, nil), (0xFE53_4D42, nil), (0x0102_1997, nil),
            (0x00C3_6400, nil), (0x5346_414F, nil), (0x6B41_4653, nil), (0x0BD0_0BD0, nil),
            (0x6573_5546, "fuse.sshfs"), (0x6573_5546, "fuse.s3fs"),
        ] as [(UInt32, String?)])
    func aNetworkFileSystemIsRefusedBeforeTheFileIsMade(type: UInt32, name: String?) {
        let store = SQLiteQueueStore(path: directory.file) { _ in QueueFileSystem(type: type, name: name) }
        for _ in 0..<2 {
            let error = #expect(throws: QueueError.self) { _ = try store.add(.sample()) }
            #expect(error?.code == .invalid && error?.property == "path")
        }
        #expect(!FileManager.default.fileExists(atPath: directory.file))
    }

    /// ext4, XFS, Btrfs, tmpfs, overlayfs, ZFS, and file systems in user space that are local.
    @Test(
        arguments: [
            (0xEF53, nil), (0x5846_5342, nil), (0x9123_683E, nil), (0x0102_1994, nil), (0x794C_7630, nil),
            (0x2FC1_2FC1, nil), (0x6573_5546, "fuse.fuse-overlayfs"), (0x6573_5546, "fuseblk"),
            (0x6573_5546, nil),
        ] as [(UInt32, String?)])
    func localFileSystemsAreUsed(type: UInt32, name: String?) throws {
        let store = SQLiteQueueStore(path: directory.file) { _ in QueueFileSystem(type: type, name: name) }
        #expect(try store.add(.sample()).count == 1)
    }

    @Test func theDirectoryIsTheOneThatIsAskedFor() throws {
        let asked = Locked<[String]>([])
        let store = SQLiteQueueStore(path: directory.file) { directory in
            asked.withLock { $0.append(directory) }
            return nil
        }
        _ = try store.counts()
        #expect(asked.withLock { $0 } == [directory.path + "/"])
        #expect(QueueFileSystem.of(directory.path)?.remoteName == nil)
        #expect(QueueFileSystem.of("/nonexistent") == nil)
        #expect(QueueFileSystem.of("/proc") == QueueFileSystem(type: 0x9FA0))
    }

    @Test func namesOfFileSystemsAreRead() {
        let mounts = """
            22 1 254:0 / / rw,relatime - ext4 /dev/root rw
            61 22 0:45 / /mnt/far\\040away rw,nosuid shared:7 - fuse.sshfs host:/ rw
            broken
            """
        #expect(QueueFileSystem.name(device: "0:45", mounts) == "fuse.sshfs")
        #expect(QueueFileSystem.name(device: "254:0", mounts) == "ext4")
        #expect(QueueFileSystem.name(device: "0:46", mounts) == nil)
    }

    /// queue.path
    @Test func theDefaultPathIsInTheStateDirectory() throws {
        let state = directory.path + "/a/state"
        let path = try SQLiteQueueStore.defaultPath { ["XDG_STATE_HOME": state, "HOME": "/nonexistent"][$0] }
        #expect(path == state + "/gateway/queue.sqlite")
        for made in [directory.path + "/a", state, state + "/gateway"] { #expect(try mode(made) == 0o700) }
        _ = try SQLiteQueueStore(path: path).add(.sample())
        #expect(try mode(path) == 0o600)
        let home = directory.path
        for relative in [nil, "", "state"] as [String?] {
            let path = try SQLiteQueueStore.defaultPath { $0 == "HOME" ? home : relative }
            #expect(path == home + "/.local/state/gateway/queue.sqlite")
        }
        let error = #expect(throws: QueueError.self) { _ = try SQLiteQueueStore.defaultPath { _ in nil } }
        #expect(error?.code == .invalid && error?.property == "path")
    }

    /// queue.path: a home directory may be elsewhere. The file itself must not be a link.
    @Test func directoriesMayBeSymbolicLinks() throws {
        let files = FileManager.default
        let (real, link) = (directory.path + "/real", directory.path + "/link")
        try files.createDirectory(atPath: real, withIntermediateDirectories: false)
        try files.createSymbolicLink(atPath: link, withDestinationPath: real)
        let path = try SQLiteQueueStore.defaultPath { $0 == "HOME" ? link : nil }
        let ids = try SQLiteQueueStore(path: path).add(.sample())
        let other = SQLiteQueueStore(path: real + "/.local/state/gateway/queue.sqlite")
        #expect(try other.lease().map(\.id) == ids)
        // Both names are those of one file.
        _ = try SQLiteQueueStore(path: path).add(.sample())
        #expect(try other.counts() == [.leased: 1, .waiting: 1])
        let linked = directory.path + "/linked.sqlite"
        try files.createSymbolicLink(atPath: linked, withDestinationPath: path)
        let error = #expect(throws: QueueError.self) { _ = try SQLiteQueueStore(path: linked).counts() }
        #expect(error?.code == .unavailable)
    }

    @Test func aDirectoryThatCannotBeMadeIsAnError() throws {
        let file = directory.path + "/file"
        try Data().write(to: URL(fileURLWithPath: file))
        let error = #expect(throws: QueueError.self) { _ = try SQLiteQueueStore.defaultPath { _ in file } }
        #expect(error?.code == .unavailable)
    }
}
