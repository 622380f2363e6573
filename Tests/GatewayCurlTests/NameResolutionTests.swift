import Foundation
import GatewayCore
import GatewayCurl
import GatewayTesting
import Testing

/// A name server that never answers. Naming one takes a mount namespace of our own, and so root; each test runs in
/// a process of its own, whose resolver nobody else uses.
@Suite(.enabled(if: MountNamespace.isPossible, "a name server of our own takes root"))
struct NameResolutionTests {
    /// Neither limit waits for the resolver, which gives up after seconds.
    @Test func limitsHoldWhileANameResolves() async {
        await #expect(processExitsWith: .success) {
            let server = try #require(SilentNameServer())
            let transport = try #require(
                server.transport { configuration in configuration.timeouts.connect = .milliseconds(150) })
            let start = ContinuousClock.now
            let connect = await failure { () throws(NetworkError) in
                try await transport.send(.post, "http://slow.example/", body: .text("x"))
            }
            let call = await failure { () throws(NetworkError) in
                try await transport.send(.get, "http://slow.example/", deadline: .milliseconds(100))
            }
            #expect(ContinuousClock.now - start < RealTime.limit(.seconds(2)))
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
            #expect(server.hasBeenAsked)
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
            let hanging = (0..<20).map { number in
                Task {
                    await failure { () throws(NetworkError) in
                        try await transport.send(.get, "http://slow-\(number).example/")
                    }
                }
            }
            await eventually { names.hasBeenAsked }
            let start = ContinuousClock.now
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
            // The resolver would hold the loop for five seconds a name.
            #expect(ContinuousClock.now - start < RealTime.limit(.seconds(1)))
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
            let start = ContinuousClock.now
            await transport.shutdown()
            #expect(await hanging.value?.code == .closed)
            #expect(ContinuousClock.now - start < RealTime.limit(.seconds(1)))
        }
    }
}
