import GatewayCore

/// The effects of a response on the gates of its call: which of them close and why, and which quotas are
/// known.
struct RateLimitSignal {
    /// Why and for how long one gate closes.
    struct Closing {
        let name: RateLimitReport.Name
        /// `nil` if the server named no time.
        let wait: Duration?
        let reason: RateLimitReason
    }

    private(set) var closings: [Closing] = []
    let isRejection: Bool

    init(_ report: RateLimitReport, status: Int, policy: RateGatePolicy) {
        let exhausted = report.limits.filter(\.isExhausted)
        switch status {
        case _ where !policy.statuses.contains(status): isRejection = false
        case 429: isRejection = true
        case 403:
            isRejection = !exhausted.isEmpty || report.retryAfter != nil && !report.limits.isEmpty
        default: isRejection = report.retryAfter != nil
        }
        guard isRejection else {
            for limit in exhausted
            where limit.isLegacy ? policy.obeysLegacyRemaining : policy.obeysRemaining {
                guard let reset = limit.reset, reset > .zero else { continue }
                closings.append(Closing(name: limit.name, wait: reset, reason: .exhausted(status: status)))
            }
            return
        }
        guard exhausted.isEmpty else {
            // The later of the times that the server names.
            closings = exhausted.map { limit in
                let wait = [report.retryAfter, limit.reset].compactMap(\.self).max()
                return Closing(name: limit.name, wait: wait, reason: .rejected(status: status))
            }
            return
        }
        closings = [
            Closing(
                name: RateLimitReport.Name(), wait: report.retryAfter, reason: .rejected(status: status))
        ]
    }
}
