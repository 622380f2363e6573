import Dispatch
import GatewayCore
import GatewayCurl
import GatewayTesting
import Testing

/// A loop that did not run for a while, as in a process that was stopped, and finds deadlines that have passed.
@Suite(.timeLimit(.minutes(1))) struct StandstillTests {
    /// Blocks the loop's thread at the end of an exchange.
    private final class Blocker: RequestEventSink {
        let blocked = Gate()
        let semaphore = DispatchSemaphore(value: 0)

        func record(_ event: borrowing RequestEvent) {
            blocked.open()
            semaphore.wait()
        }
    }

    private func send(
        _ transport: CurlTransport, _ gateway: EmbeddedGateway, _ path: String, within limit: Duration? = nil,
        events: (any RequestEventSink)? = nil
    ) -> Task<Result<HTTPResponse, NetworkError>, Never> {
        Task {
            do throws(NetworkError) {
                var options = CallOptions()
                options.deadline = limit
                var context = RequestContext(options: options)
                context.events = events
                let request = try HTTPRequest(.get, gateway.origin.description + path)
                return .success(try await transport.send(request, context: context))
            } catch {
                return .failure(error)
            }
        }
    }

    /// Returns after a while, by the gateway's clock.
    private func pass(_ time: Duration, _ gateway: EmbeddedGateway) async throws {
        gateway.inject(.latency(time), into: .path("/time"), times: 1)
        _ = try await send(CurlTransport(), gateway, "/time").value.get()
    }

    @Test func anAnswerThatIsThereComesBeforeTheDeadline() async throws {
        let gateway = try EmbeddedGateway.start()
        defer { gateway.shutdown() }
        let (transport, blocker) = (CurlTransport(), Blocker())
        // On connections that are there libcurl has no timers of its own, by which it would look at them.
        let warm = gateway.hold(.path("/warm"))
        let warming = (0..<2).map { _ in send(transport, gateway, "/warm") }
        await warm.waitForArrivals(2)
        warm.release()
        for task in warming { _ = try await task.value.get() }
        let (first, second) = (gateway.hold(.path("/first")), gateway.hold(.path("/second")))
        let late = send(transport, gateway, "/second", within: .milliseconds(500))
        await second.waitForArrivals(1)
        let blocking = send(transport, gateway, "/first", events: blocker)
        await first.waitForArrivals(1)
        first.release()
        await blocker.blocked.pass()
        second.release()
        try await pass(.milliseconds(700), gateway)
        blocker.semaphore.signal()
        #expect(try await late.value.get().status == 404)
        #expect(try await blocking.value.get().status == 404)
    }

    @Test func whatTheLoopHasNotSeenYetIsNotSentAfterItsDeadline() async throws {
        let gateway = try EmbeddedGateway.start()
        defer { gateway.shutdown() }
        let (transport, blocker) = (CurlTransport(), Blocker())
        let (first, second) = (gateway.hold(.path("/first")), gateway.hold(.path("/second")))
        let blocking = send(transport, gateway, "/first", events: blocker)
        await first.waitForArrivals(1)
        first.release()
        await blocker.blocked.pass()
        let waiting = send(transport, gateway, "/second", within: .milliseconds(20))
        try await pass(.milliseconds(60), gateway)
        blocker.semaphore.signal()
        let result = await waiting.value
        _ = await blocking.value
        guard case .failure(let error) = result else {
            Issue.record("it was sent: \(result)")
            return
        }
        #expect(error.code == .timeout && !error.mayHaveBeenSent && error.attempts == 0)
        #expect(second.arrivals == 0)
    }

    @Test func whatIsNotOutYetIsNotSentAfterItsDeadline() async throws {
        let gateway = try EmbeddedGateway.start()
        defer { gateway.shutdown() }
        var configuration = CurlConfiguration()
        configuration.connectionsPerOrigin = 1
        let (transport, blocker) = (CurlTransport(configuration: configuration), Blocker())
        let (first, second) = (gateway.hold(.path("/first")), gateway.hold(.path("/second")))
        let blocking = send(transport, gateway, "/first", events: blocker)
        await first.waitForArrivals(1)
        let waiting = send(transport, gateway, "/second", within: .milliseconds(500))
        // It is queued before the first answer comes in.
        try await pass(.milliseconds(100), gateway)
        first.release()
        await blocker.blocked.pass()
        try await pass(.milliseconds(700), gateway)
        blocker.semaphore.signal()
        let result = await waiting.value
        guard case .failure(let error) = result else {
            Issue.record("it was sent: \(result)")
            return
        }
        #expect(error.code == .timeout && !error.mayHaveBeenSent)
        #expect(second.arrivals == 0)
        _ = await blocking.value
    }
}
