import GatewayCore

/// How old the addresses of names may be that libcurl keeps.
///
/// libcurl cannot be told to forget them. It can be told at each request which age is too old: for a while that is the time
/// since they were to be forgotten. Addresses that the configuration gives have no age.
struct NameCacheAge {
    /// libcurl's default, in seconds.
    static let standard = 60

    private var forgottenAt: Int64?

    /// Addresses of before are not used any more.
    ///
    /// - Parameter now: the loop's time, in nanoseconds.
    mutating func forget(at now: Int64) { forgottenAt = now }

    /// The oldest age that may be used, in seconds, rounded down: rather a name too many is resolved.
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
