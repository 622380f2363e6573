#if canImport(Glibc)
    private import Glibc
#else
    private import Musl
#endif

/// When callers make their exchanges themselves. Durations are in nanoseconds.
struct VisitLimits: Sendable {
    /// Whether they ever do. Not where there is one processor: who waits on the only thread of the pool holds up all.
    var isAllowed = sysconf(Int32(_SC_NPROCESSORS_ONLN)) > 1
    /// What counts as a quick exchange. At 0.1 ms, two changes of threads saved are a tenth of it.
    var quick: Int64 = 100_000
    /// How many quick exchanges in a row make an origin quick.
    var proof = 8
    /// How long a caller's thread is given to one exchange. Swift's pool has few threads: none may be taken for longer
    /// than it takes to put another to work a few times.
    var visit: Int64 = 150_000
}
