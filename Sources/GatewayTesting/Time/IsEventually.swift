/// Whether a condition becomes true within a time, for tests of work on other threads. It yields a few times and then
/// sleeps between checks.
///
/// - Parameter limit: When it gives up. By default 30 s, which is more than any such work takes.
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
