import CAllocationCounter
import Foundation

/// What this process has used up.
enum ProcessUsage {
    /// User and system time.
    static var cpuSeconds: Double {
        var usage = rusage()
        unsafe getrusage(RUSAGE_SELF.rawValue, &usage)
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) * 1e-6 }
        return seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }

    /// The most memory that was resident. Not from `getrusage`, which counts what was before `exec`.
    static var peakRSSMebibytes: Double {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") }),
            let kibibytes = line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap({
                Double($0)
            })
        else { return 0 }
        return kibibytes / 1024
    }

    /// What is allocated at the moment, in all arenas.
    static var heapKibibytes: Double { Double(allocation_bytes_in_use()) / 1024 }

    /// Seconds of the monotonic clock.
    static var now: Double {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
    }
}
