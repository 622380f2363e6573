import GatewayCore
import GatewayTesting

/// A wait that was not over in time: it says what it waited for.
struct WaitFailure: Error, CustomStringConvertible {
    let description: String
}

extension AsyncStream where Element: Sendable {
    /// Waits for an element that fits, and drops those before it. The elements after it can be waited for then.
    ///
    /// - Parameters:
    ///   - what: what is waited for, for the error.
    ///   - begin: when it could come at the earliest.
    ///   - limit: more than it takes on a machine that is busy with something else.
    /// - Returns: how long it took.
    @discardableResult
    func wait(
        for what: String, since begin: ContinuousClock.Instant = .now, within limit: Duration = .seconds(60),
        until fits: @escaping @Sendable (Element) -> Bool = { _ in true }
    ) async throws -> Duration {
        let seen = Locked<[String]>([])
        let search = Task { () -> Duration? in
            for await element in self {
                if fits(element) { return begin.duration(to: .now) }
                seen.withLock { $0.append("\(element)") }
            }
            return nil
        }
        let alarm = Task {
            let clock = SystemClock()
            try await clock.sleep(until: clock.now + limit)
            search.cancel()
        }
        defer { alarm.cancel() }
        if let time = await search.value { return time }
        throw WaitFailure(
            description: "waited \(limit) for \(what), and saw \(seen.withLock { $0 }.suffix(20))")
    }
}
