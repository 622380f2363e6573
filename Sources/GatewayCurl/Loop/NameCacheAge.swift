import GatewayCore

/// The maximum age of libcurl's cached DNS results.
///
/// libcurl cannot discard them on request, but accepts a maximum age per request. After ``forget(at:)`` the maximum is
/// the time since that call, up to ``standard``. Addresses from the configuration have no age.
struct NameCacheAge {
    /// libcurl's default, in seconds.
    static let standard = 60

    private var forgottenAt: Int64?

    /// Discards the addresses resolved so far.
    ///
    /// - Parameter now: the loop's time, in nanoseconds.
    mutating func forget(at now: Int64) { forgottenAt = now }

    /// The maximum age, in seconds, rounded down, so that no discarded address is used.
    mutating func seconds(at now: Int64) -> Int {
        guard let forgottenAt else { return Self.standard }
        let seconds = max(0, now.subtractingClamped(forgottenAt)) / 1_000_000_000
        guard seconds < Self.standard else {
            self.forgottenAt = nil
            return Self.standard
        }
        return Int(seconds)
    }
}
