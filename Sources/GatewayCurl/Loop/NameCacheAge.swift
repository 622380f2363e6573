import GatewayCore

/// The maximum age of libcurl's cached DNS results, after they have been discarded.
///
/// libcurl cannot discard them on request, but accepts a maximum age per request: the time since they were
/// discarded, up to ``standard``. Addresses from the configuration do not expire.
struct NameCacheAge {
    /// libcurl's default, in seconds.
    static let standard = 60

    /// When the cached addresses were discarded: the loop's time, in nanoseconds.
    let forgottenAt: Int64

    /// The maximum age, in seconds, rounded down, so that no discarded address is used.
    func seconds(at now: Int64) -> Int {
        Int(min(Int64(Self.standard), max(0, now.subtractingClamped(forgottenAt)) / 1_000_000_000))
    }
}
