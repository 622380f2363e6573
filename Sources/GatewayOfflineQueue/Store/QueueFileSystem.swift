private import GatewayLibC
import GatewaySQLite

/// The file system of the queue's file.
///
/// SQLite relies on `fcntl` locks between processes, and on `fsync`. Remote file systems may hold locks only
/// within one machine, lose them when the connection ends, or return from `fsync` before the data is
/// durable. Rejected are NFS, SMB, 9P (used for shared folders of virtual machines), Ceph, AFS, Coda, NCP,
/// Lustre, GPFS, BeeGFS, PanFS, OrangeFS, shared folders of VirtualBox, and user-space file systems that are
/// known to be remote; other user-space file systems, such as those of containers, are treated as local.
struct QueueFileSystem: Hashable, Sendable {
    /// The type number of `statfs`.
    var type: UInt32
    /// The name in `/proc/self/mountinfo`, if it was read.
    var name: String?

    private static let fuse: UInt32 = 0x6573_5546
    private static let remoteTypes: [UInt32: String] = [
        0x6969: "NFS", 0x517B: "SMB", 0xFF53_4D42: "CIFS", 0xFE53_4D42: "SMB", 0x0102_1997: "9P",
        0x00C3_6400: "Ceph", 0x5346_414F: "AFS", 0x6B41_4653: "AFS", 0x7375_7245: "Coda", 0x564C: "NCP",
        0x0BD0_0BD0: "Lustre", 0x4750_4653: "GPFS", 0x1983_0326: "BeeGFS", 0xAAD7_AAEA: "PanFS",
        0x2003_0528: "OrangeFS", 0x786F_4256: "vboxsf",
    ]
    private static let remoteNames: Set<String> = [
        "blobfuse", "blobfuse2", "ceph", "ceph-fuse", "curlftpfs", "davfs", "davfs2", "gcsfuse", "glusterfs",
        "goofys", "juicefs", "mfs", "moosefs", "mount-s3", "mountpoint-s3", "rclone", "s3fs", "seaweedfs",
        "smbnetfs", "sshfs",
    ]

    /// The name of a network file system; `nil` for a local one.
    var remoteName: String? {
        if let known = Self.remoteTypes[type] { return known }
        guard type == Self.fuse, let name, name.hasPrefix("fuse.") else { return nil }
        let program = String(name.dropFirst(5))
        return Self.remoteNames.contains(program) ? program : nil
    }

    /// The file system of a directory; `nil` if it cannot be determined.
    static func of(_ directory: String) -> QueueFileSystem? {
        guard let type = FileSystemType.of(directory) else { return nil }
        return QueueFileSystem(type: type, name: type == fuse ? name(directory) : nil)
    }

    private static func name(_ directory: String) -> String? {
        var status = stat()
        guard unsafe stat(directory, &status) == 0, let mounts = mounts() else { return nil }
        let device = UInt64(status.st_dev)
        let major = (device >> 8) & 0xFFF | (device >> 32) & 0xFFFF_F000
        let minor = device & 0xFF | (device >> 12) & 0xFFFF_FF00
        return name(device: "\(major):\(minor)", mounts)
    }

    /// The type of the file system of a device, from the text of `/proc/self/mountinfo`.
    static func name(device: String, _ mounts: String) -> String? {
        for line in mounts.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count > 6, words[2] == device, let dash = words.lastIndex(of: "-"),
                words.indices.contains(dash + 1)
            else { continue }
            return String(words[dash + 1])
        }
        return nil
    }

    private static func mounts() -> String? {
        let descriptor = unsafe open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { _ = close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while bytes.count < 16 << 20 {
            let count = unsafe read(descriptor, &buffer, buffer.count)
            guard count > 0 else { break }
            bytes += buffer.prefix(count)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
