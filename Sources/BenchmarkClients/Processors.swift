import CBenchServer
import FoundationEssentials
package import Glibc

/// Which processors run what.
///
/// One request at a time is either answered on the client's own processor or on another, as the scheduler likes it at
/// the moment, and the one takes twice as long as the other. So there the server has the first processor and the
/// client the rest, for every client alike.
package enum Processors {
    /// Keeps a process on the first processor that it may use, where there are several.
    package static func giveFirst(to process: pid_t) {
        guard let first = lowest(allowed(process)) else { return }
        set(process, first)
    }

    /// Lets a process use every processor that this one may.
    package static func free(_ process: pid_t) { set(process, allowed(0)) }

    /// Keeps this process off the first processor, where there are several.
    package static func leaveFirst() {
        let all = allowed(0)
        guard let first = lowest(all) else { return }
        var rest = all
        for index in rest.indices { rest[index] &= ~first[index] }
        // A processor is a thread's own; threads that come later take after those that make them.
        let threads = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")
        for thread in threads?.compactMap({ pid_t($0) }) ?? [0] { set(thread, rest) }
    }

    private typealias Mask = [UInt]

    /// The lowest of several; `nil` of one.
    private static func lowest(_ mask: Mask) -> Mask? {
        guard mask.reduce(0, { $0 + $1.nonzeroBitCount }) > 1,
            let index = mask.firstIndex(where: { $0 != 0 })
        else { return nil }
        var lowest = Mask(repeating: 0, count: mask.count)
        lowest[index] = mask[index] & (~mask[index] &+ 1)
        return lowest
    }

    private static func allowed(_ process: pid_t) -> Mask {
        // 1,024 processors, as many as the C library knows.
        var mask = Mask(repeating: 0, count: 16)
        let code = unsafe bench_processors_get(process, &mask, 128)
        return code == 0 ? mask : []
    }

    private static func set(_ process: pid_t, _ mask: Mask) {
        guard mask.contains(where: { $0 != 0 }) else { return }
        _ = unsafe bench_processors_set(process, mask, 128)
    }
}
