internal import GatewayResilience

/// Reads the bulkhead of a deployment: a preset, or limits such as `per-origin=16,in-all=64`.
enum BulkheadText {
    /// The policy; `.some(nil)` for `none`, and `nil` for a text that is neither.
    static func parse(_ text: String) -> BulkheadPolicy?? {
        switch text {
        case "none": return .some(nil)
        case "mobile": return .mobile
        case "server": return .server
        default: break
        }
        var limits: [Substring: Substring] = [:]
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = pair.first, let value = pair.dropFirst().first,
                ["per-origin", "in-all"].contains(name), limits.updateValue(value, forKey: name) == nil
            else { return nil }
        }
        guard let perOrigin = limits["per-origin"].flatMap(limit) else { return nil }
        var policy = BulkheadPolicy(perOrigin: perOrigin, inAll: 1)
        // As in the presets.
        policy.inAll = min(policy.highestPerOrigin, 250_000) * 4
        if let inAll = limits["in-all"] {
            guard let number = number(inAll) else { return nil }
            policy.inAll = number
        }
        do throws(NetworkError) { try policy.validate() } catch { return nil }
        return policy
    }

    /// A fixed limit such as `16`, or the range of an adaptive one such as `8-64`.
    private static func limit(_ text: Substring) -> BulkheadPolicy.Limit? {
        let bounds = text.split(separator: "-", omittingEmptySubsequences: false).map(number)
        switch bounds.count {
        case 1: return bounds[0].map { .fixed($0) }
        case 2:
            guard let lower = bounds[0], let upper = bounds[1], lower <= upper else { return nil }
            return .adaptive(lower...upper)
        default: return nil
        }
    }

    /// Digits alone: `Int` takes a sign, too.
    private static func number(_ text: Substring) -> Int? {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
    }
}
