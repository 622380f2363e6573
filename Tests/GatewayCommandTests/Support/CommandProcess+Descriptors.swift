import Foundation

extension CommandProcess {
    /// A pair of sockets, which unlike a pipe no other child inherits.
    static func pipe() throws -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [0, 0]
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw StartError(code: errno) }
        return (ends[0], ends[1])
    }

    /// A terminal that nobody sees: its own end, and the path of the other.
    static func terminal() throws -> (Int32, String) {
        let own = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var (number, unlocked): (Int32, Int32) = (0, 0)
        guard own >= 0, ioctl(own, UInt(TIOCSPTLCK), &unlocked) == 0, ioctl(own, UInt(TIOCGPTN), &number) == 0
        else { throw StartError(code: errno) }
        return (own, "/dev/pts/\(number)")
    }

    // <asm-generic/ioctls.h>
    private static let TIOCSPTLCK = 0x4004_5431
    private static let TIOCGPTN = 0x8004_5430
}
