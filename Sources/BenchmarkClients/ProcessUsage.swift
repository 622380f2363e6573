import CAllocationCounter
import FoundationEssentials
import Glibc

/// What this process has used up.
package enum ProcessUsage {
    /// User and system time.
    package static var cpuSeconds: Double {
        var usage = rusage()
        unsafe getrusage(RUSAGE_SELF.rawValue, &usage)
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) * 1e-6 }
        return seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }

    /// The most memory that was resident. Not from `getrusage`, which counts what was before `exec`.
    package static var peakRSSMebibytes: Double {
        let status = FileManager.default.contents(atPath: "/proc/self/status") ?? Data()
        let lines = String(decoding: status, as: UTF8.self).split(separator: "\n")
        guard let line = lines.first(where: { $0.hasPrefix("VmHWM:") }),
            let number = line.split(whereSeparator: \.isWhitespace).dropFirst().first,
            let kibibytes = Double(number)
        else { return 0 }
        return kibibytes / 1024
    }

    /// What is allocated at the moment, in all arenas.
    package static var heapKibibytes: Double { Double(allocation_bytes_in_use()) / 1024 }

    /// Seconds of the monotonic clock.
    package static var now: Double {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
    }
}
