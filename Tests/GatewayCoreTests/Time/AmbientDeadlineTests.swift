import GatewayTesting
import Testing

@testable import GatewayCore

@Suite struct AmbientDeadlineTests {
    private struct Failure: Error {}
    private let clock = ManualClock()

    private func after(_ seconds: Int) -> Deadline { .after(.seconds(seconds), clock: clock) }

    private func context(_ deadline: Duration? = nil) -> RequestContext {
        RequestContext(options: CallOptions(deadline: deadline), clock: clock)
    }

    @Test func callsInheritTheDeadlineOfTheirTask() async {
        #expect(Deadline.ambient == nil && context().deadline == nil)
        await withDeadline(after(5)) {
            #expect(Deadline.ambient == after(5) && context().deadline == after(5))
            async let child = context().deadline
            let task = Task { context().deadline }
            let group = await withTaskGroup { group in
                group.addTask { context().deadline }
                return await group.next() ?? nil
            }
            #expect([await child, await task.value, group] == [after(5), after(5), after(5)])
            let detached = Task.detached { context().deadline }
            #expect(await detached.value == nil)
        }
        #expect(Deadline.ambient == nil)
    }

    /// Of the call's own deadline and those of its task, the earliest counts.
    @Test(arguments: [(3, 5, 9, 3), (5, 3, 9, 3), (9, 5, 3, 3), (5, 9, nil, 5), (9, 5, nil, 5)])
    func theEarliestCounts(outer: Int, inner: Int, own: Int?, expected: Int) async {
        await withDeadline(after(outer)) {
            await withDeadline(after(inner)) {
                #expect(context(own.map { .seconds($0) }).deadline == after(expected))
            }
            #expect(Deadline.ambient == after(outer))
        }
    }

    /// The default of an engine still applies to calls that only have the deadline of their task.
    @Test(arguments: [(5, nil, 60, 5), (90, nil, 60, 60), (90, 70, 60, 70), (90, 120, 60, 90)])
    func theDefaultOfAnEngineApplies(ambient: Int, own: Int?, standard: Int, expected: Int) async {
        await withDeadline(after(ambient)) {
            var context = context(own.map { .seconds($0) })
            context.enter(deadline: after(standard), events: nil, reentry: nil)
            #expect(context.deadline == after(expected))
        }
    }

    @Test func valuesAndErrorsComeThrough() async {
        #expect(await withDeadline(after(1)) { 7 } == 7)
        await #expect(throws: Failure.self) {
            try await withDeadline(after(1)) { () async throws(Failure) -> Int in throw Failure() }
        }
    }

    @Test func backgroundCallsInheritNone() async {
        await withDeadline(after(5)) {
            #expect(context(.seconds(1)).background().deadline == nil)
            #expect(Deadline.ambient == after(5))
        }
    }
}
