import Foundation
import GatewayAuth
import GatewayCore

/// Token files that processes share, and what happens to them.
final class StormFiles: StormStore {
    let kind = StormRound.Store.files
    private let place = TemporaryDirectory()
    /// Whether the directory is a file system of its own, small enough to be filled.
    private let isMounted: Bool
    private let tokens: String
    private let record: String
    private let copies = Counter()

    init() throws {
        isMounted = mount("tmpfs", place.path, "tmpfs", 0, "size=256k,mode=0700") == 0
        tokens = place.path("current/tokens")
        record = "\(tokens)/\(TokenKey.default.digest).json"
        try makeVersion("version0")
    }

    /// A directory for tokens, and the link that leads to it, which is replaced at once.
    ///
    /// - Parameter fill: fills the directory; it is not used where that fails.
    private func makeVersion(_ name: String, _ fill: (String) -> Bool = { _ in true }) throws {
        let directory = place.path(name + "/tokens")
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        guard fill(directory) else { return try FileManager.default.removeItem(atPath: place.path(name)) }
        symlink(name, place.path("next"))
        rename(place.path("next"), place.path("current"))
    }

    var address: String { "file:" + tokens }
    var witness: String? { nil }
    var canBeFilled: Bool { isMounted }

    func close() async {
        if isMounted { umount2(place.path, Int32(MNT_DETACH)) }
    }

    func perform(_ event: StormRound.Event, noting journal: StormJournal) async throws {
        switch event {
        case .deleteLocks:
            journal.note("driver", .unlocked)
            for path in locks { unlink(path) }
            journal.note("driver", .unlocked)
        case .replaceLocks:
            journal.note("driver", .unlocked)
            for path in locks {
                let descriptor = open(path + ".other", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
                if descriptor >= 0 { Foundation.close(descriptor) }
                rename(path + ".other", path)
            }
            journal.note("driver", .unlocked)
        case .copyDirectory: try await copyDirectory(journal)
        case .fullDisk(let duration): await fillDisk(for: duration)
        case .damage(let damage):
            journal.note("driver", .lost(damage.rawValue))
            try self.damage(damage)
        case .deleteRecord:
            journal.note("driver", .lost("deleted"))
            unlink(record)
        default: break
        }
    }

    private var locks: [String] {
        ["lock", "swap"].map { "\(tokens)/\(TokenKey.default.digest).\($0)" }
    }

    /// Puts a copy in the place of the directory, at once.
    private func copyDirectory(_ journal: StormJournal) async throws {
        let manager = FileManager.default
        let before = try manager.destinationOfSymbolicLink(atPath: place.path("current"))
        var copied: [String: Data] = [:]
        var isReplaced = false
        let time = StormJournal.now
        try makeVersion("version\(copies.next())") { copy in
            for name in (try? manager.contentsOfDirectory(atPath: tokens)) ?? [] {
                guard let bytes = manager.contents(atPath: "\(tokens)/\(name)") else { continue }
                copied[name] = bytes
                // On a full disk it may be there and empty.
                let file = "\(copy)/\(name)"
                guard
                    manager.createFile(
                        atPath: file, contents: bytes, attributes: [.posixPermissions: 0o600]),
                    manager.contents(atPath: file) == bytes
                else { return false }
            }
            journal.note("driver", .unlocked)
            isReplaced = true
            return true
        }
        guard isReplaced else { return }
        journal.note("driver", .unlocked)
        let end = StormJournal.now + 30_000_000
        await StormClock.pause(50)
        // Somebody may have stored a record in the old directory, or noted that it sends one, after that was copied.
        let old = place.path(before)
        let names = ["json", "sender"].map { "\(TokenKey.default.digest).\($0)" }
        if names.contains(where: { manager.contents(atPath: "\(old)/tokens/\($0)") != copied[$0] }) {
            journal.add(StormEntry(time, "driver", .restored(until: end)))
        }
        try? manager.removeItem(atPath: old)
    }

    private func fillDisk(for duration: Int) async {
        let path = place.path("filler")
        let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        let page = [UInt8](repeating: 0, count: 4096)
        while write(descriptor, page, page.count) > 0 {}
        Foundation.close(descriptor)
        await StormClock.pause(duration)
        unlink(path)
    }

    private func damage(_ damage: StormRound.Damage) throws {
        guard let bytes = FileManager.default.contents(atPath: record) else { return }
        let damaged = Self.damaged(Array(bytes), damage)
        let descriptor = open(record, O_WRONLY | O_TRUNC | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        _ = write(descriptor, damaged, damaged.count)
        Foundation.close(descriptor)
    }

    static func damaged(_ record: [UInt8], _ damage: StormRound.Damage) -> [UInt8] {
        switch damage {
        case .empty: []
        case .cut: Array(record.prefix(record.count / 2))
        case .garbage: record.map { $0 ^ 0x5A }
        case .generation:
            Array(
                String(decoding: record, as: UTF8.self)
                    .replacing(#/"generation":[0-9]+/#, with: #""generation":18446744073709551615"#).utf8)
        }
    }
}
