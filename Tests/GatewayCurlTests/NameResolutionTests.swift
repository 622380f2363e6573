import Foundation
import GatewayCore
import GatewayCurl
import GatewayTesting
import TestTiers
import Testing

/// A name server that never answers. Naming one takes a mount namespace of our own, and so root; each test runs in
/// a process of its own, whose resolver nobody else uses.
///
/// The resolver gives up after seconds. That nothing waited for it shows in its threads, which are still there.
@Suite(
    .tags(.concurrent), .timeLimit(.minutes(2)),
    .enabled(if: MountNamespace.isPossible, "a name server of our own takes root"))
struct NameResolutionTests {
    /// Neither limit waits for the resolver, which gives up after seconds.
    @Test func limitsHoldWhileANameResolves() async {
        await #expect(processExitsWith: .success) {
            let server = try #require(SilentNameServer())
            let clock = ManualClock()
            let transport = try #require(
                server.transport { configuration in
                    configuration.timeouts.connect = .milliseconds(150)
                    configuration.clock = clock
                })
            _ = await transport.statistics()
            let before = threadsOfTransports()
            /// Moves the clock on when the exchange has begun.
            func fail(_ method: HTTPMethod, after time: Duration, _ options: CallOptions) async throws
                -> NetworkError?
            {
                let request = try HTTPRequest(
                    method, "http://slow.example/", body: method == .post ? .text("x") : .empty)
                let context = RequestContext(options: options, clock: clock)
                async let error = failure { () throws(NetworkError) in
                    try await transport.send(request, context: context)
                }
                await eventually { await transport.statistics().all.active == 1 }
                clock.advance(by: time)
                return await error
            }
            let connect = try await fail(.post, after: .milliseconds(150), CallOptions())
            let call = try await fail(
                .get, after: .milliseconds(100), CallOptions(deadline: .milliseconds(100)))
            await eventually { server.hasBeenAsked }
            // The loop goes on while a name is still being resolved.
            _ = await transport.statistics()
            #expect(threadsOfTransports() > before)
            #expect(connect?.code == .timeout && connect?.phase == .resolve && connect?.limit == .connect)
            #expect(call?.code == .timeout && call?.phase == .resolve && call?.limit == .call)
            #expect(
                connect?.mayHaveBeenSent == false && connect?.attempts == 1 && call?.mayHaveBeenSent == false)
            #expect(
                connect?.message
                    == "The name slow.example did not resolve within 150 ms (timeouts.connect).")
            #expect(
                call?.message
                    == "The call's deadline of 100 ms passed while resolving the name slow.example.")
        }
    }

    /// A call that is given up while its name resolves holds up no other call on the loop.
    @Test func cancellingWhileANameResolvesHoldsUpNobody() async {
        await #expect(processExitsWith: .success) {
            let names = try #require(SilentNameServer())
            let transport = try #require(names.transport { _ in })
            let server = FaultServer { _ in ok() }
            let url = server.url
            #expect(try await transport.send(.get, url).status == 200)
            let before = threadsOfTransports()
            let hanging = (0..<20).map { number in
                Task {
                    await failure { () throws(NetworkError) in
                        try await transport.send(.get, "http://slow-\(number).example/")
                    }
                }
            }
            await eventually { names.hasBeenAsked }
            for task in hanging { task.cancel() }
            var phases: Set<NetworkError.Phase?> = []
            for task in hanging {
                let error = await task.value
                #expect(error?.code == .cancelled && error?.mayHaveBeenSent == false)
                phases.insert(error?.phase)
            }
            // One name was asked for; on a busy machine others may not have come to the loop yet.
            #expect(phases.contains(.resolve) && phases.isSubset(of: [.resolve, .queue]))
            #expect(try await transport.send(.get, url).status == 200)
            #expect(threadsOfTransports() > before)
        }
    }

    /// Ending a transport does not wait for the resolver either.
    @Test func shuttingDownWhileANameResolves() async {
        await #expect(processExitsWith: .success) {
            let names = try #require(SilentNameServer())
            let transport = try #require(names.transport { _ in })
            let hanging = Task {
                await failure { () throws(NetworkError) in
                    try await transport.send(.get, "http://slow.example/")
                }
            }
            await eventually { names.hasBeenAsked }
            await transport.shutdown()
            #expect(await hanging.value?.code == .closed)
            #expect(threadsOfTransports() > 0)
        }
    }
}

/// The number of threads that see another name server than the process and are called like a transport's: its own, and one
/// for each name that it resolves. Threads of Swift's that a transport's happens to start have other names.
private func threadsOfTransports() -> Int {
    let files = FileManager.default
    func namespace(_ thread: String) -> String? {
        try? files.destinationOfSymbolicLink(atPath: "/proc/self/\(thread)ns/mnt")
    }
    let own = namespace("")
    let threads = (try? files.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
    return threads.count { thread in
        let name = try? String(contentsOfFile: "/proc/self/task/\(thread)/comm", encoding: .utf8)
        return name == "gateway-curl\n" && namespace("task/\(thread)/").map { $0 != own } == true
    }
}
