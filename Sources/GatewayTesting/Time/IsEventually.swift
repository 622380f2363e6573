/// Whether a condition becomes true within a time limit, for tests of work on other threads. It yields some times and
/// then sleeps between checks.
///
/// - Parameter limit: the time limit. Default: 30 s, longer than any such work takes.
package func isEventually(
    within limit: Duration = RealTime.limit(.seconds(30)), _ condition: () async -> Bool
) async -> Bool {
    let end = ContinuousClock.now + limit
    for _ in 0..<100 {
        if await condition() { return true }
        await Task.yield()
    }
    repeat {
        if await condition() { return true }
        try? await Task.sleep(for: .milliseconds(1))
    } while ContinuousClock.now < end
    return await condition()
}
