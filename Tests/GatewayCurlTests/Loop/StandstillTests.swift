import GatewayCore
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayCurl

/// A loop that did not run for a while, as in a process that was stopped, and finds deadlines that have passed.
@Suite(.tags(.concurrent), .timeLimit(.minutes(1))) struct StandstillTests {
    /// A server that holds each path back, and says when it has answered the second.
    private final class HeldServer: Sendable {
        let (first, second, answered) = (ThreadGate(), ThreadGate(), Latch())
        private let started = Locked<FaultServer?>(nil)

        init() {
            let server = FaultServer { [first, second, answered] connection in
                while let request = connection.readRequest() {
                    if request.line.contains("/first") { first.wait() }
                    guard request.line.contains("/second") else {
                        connection.write(ok())
                        continue
                    }
                    second.wait()
                    connection.write(ok("late"))
                    answered.open()
                }
            }
            started.withLock { $0 = server }
        }

        var server: FaultServer {
            guard let server = started.withLock({ $0 }) else { preconditionFailure("it was started") }
            return server
        }

        func received(_ path: String) -> Bool { server.requests.contains { $0.line.contains(path) } }

        func stop() {
            first.open()
            second.open()
            server.stop()
        }
    }

    private let clock = ManualClock()
    private let blocker = LoopBlocker()

    private func send(
        _ transport: CurlTransport, _ url: String, within limit: Duration? = nil,
        events: (any RequestEventSink)? = nil
    ) -> Task<Result<HTTPResponse, NetworkError>, Never> {
        var context = RequestContext(options: CallOptions(deadline: limit), clock: clock)
        context.events = events
        return Task { [context] in
            do throws(NetworkError) {
                return .success(try await transport.send(try HTTPRequest(.get, url), context: context))
            } catch {
                return .failure(error)
            }
        }
    }

    @Test func anAnswerThatIsThereComesBeforeTheDeadline() async throws {
        let held = HeldServer()
        defer { held.stop() }
        let (transport, url) = (transport { $0.clock = clock }, held.server.url)
        let blocking = send(transport, url + "/first", events: blocker)
        await transport.waitForStages(.waiting)
        let late = send(transport, url + "/second", within: .milliseconds(500))
        await transport.waitForStages(.waiting, .waiting)
        held.first.open()
        await blocker.waitUntilBlocked()
        held.second.open()
        await held.answered.wait()
        clock.advance(by: .milliseconds(700))
        blocker.goOn()
        #expect(try await late.value.get().text == "late")
        #expect(try await blocking.value.get().status == 200)
    }

    @Test func whatTheLoopHasNotSeenYetIsNotSentAfterItsDeadline() async throws {
        let held = HeldServer()
        defer { held.stop() }
        let (transport, url) = (transport { $0.clock = clock }, held.server.url)
        let blocking = send(transport, url + "/first", events: blocker)
        await transport.waitForStages(.waiting)
        held.first.open()
        await blocker.waitUntilBlocked()
        let waiting = send(transport, url + "/second", within: .milliseconds(20))
        await eventually { transport.isCalled }
        clock.advance(by: .milliseconds(20))
        blocker.goOn()
        let result = await waiting.value
        _ = await blocking.value
        guard case .failure(let error) = result else {
            Issue.record("it was sent: \(result)")
            return
        }
        #expect(error.code == .timeout && !error.mayHaveBeenSent && error.attempts == 0)
        #expect(!held.received("/second"))
    }

    @Test func whatIsNotOutYetIsNotSentAfterItsDeadline() async throws {
        let held = HeldServer()
        defer { held.stop() }
        let transport = transport {
            $0.clock = clock
            $0.connectionsPerOrigin = 1
        }
        let url = held.server.url
        let blocking = send(transport, url + "/first", events: blocker)
        await transport.waitForStages(.waiting)
        let waiting = send(transport, url + "/second", within: .milliseconds(500))
        // It is queued before the first answer comes in.
        await transport.waitForStages(.waiting, .queued)
        held.first.open()
        await blocker.waitUntilBlocked()
        clock.advance(by: .milliseconds(700))
        blocker.goOn()
        let result = await waiting.value
        guard case .failure(let error) = result else {
            Issue.record("it was sent: \(result)")
            return
        }
        #expect(error.code == .timeout && !error.mayHaveBeenSent)
        _ = await blocking.value
        #expect(!held.received("/second"))
    }
}
