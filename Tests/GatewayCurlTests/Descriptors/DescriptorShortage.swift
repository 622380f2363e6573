import CSpareDescriptors
import Foundation
import Testing

/// Takes all file descriptors of the process but a few, under a lowered limit, until it is ended. Dispatch has spare ones.
final class DescriptorShortage {
    private var taken: [Int32] = []
    private var before = rlimit()
    private var hasEnded = false

    /// Leaves so many.
    init(leaving left: Int = 0) {
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &before)
        let highest = dup(0)
        var lowered = before
        lowered.rlim_cur = min(before.rlim_cur, rlim_t(highest) + 64)
        if spare_descriptors_open(highest + 64) == 0 {
            Issue.record("there are no descriptors above \(highest + 64): raise the limit (ulimit -n)")
        }
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &lowered)
        if highest >= 0 { taken.append(highest) }
        // Connections of earlier tests may still be closing.
        var count = 0
        repeat {
            count = takeAll()
            usleep(20_000)
        } while takeAll() > count
        release(left)
    }

    deinit { end() }

    /// Takes what there is, and returns how many are held.
    private func takeAll() -> Int {
        while case let descriptor = fcntl(0, F_DUPFD_CLOEXEC, 0), descriptor >= 0 { taken.append(descriptor) }
        return taken.count
    }

    private func release(_ count: Int) {
        for _ in 0..<min(count, taken.count) { close(taken.removeLast()) }
    }

    func end() {
        // All may have been left free: the limit is lowered nevertheless.
        guard !hasEnded else { return }
        hasEnded = true
        for descriptor in taken { close(descriptor) }
        taken = []
        spare_descriptors_close()
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &before)
    }
}
