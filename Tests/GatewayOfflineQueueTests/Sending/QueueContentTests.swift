import GatewayCore
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayOfflineQueue

/// The status of a response decides, whatever its content is.
@Suite(.timeLimit(.minutes(5)), .tags(.concurrent)) struct QueueContentTests {
    enum Fault: CaseIterable {
        case torn, damaged, late, endless

        var code: NetworkError.Code {
            switch self {
            case .torn: .truncated
            case .damaged: .malformedResponse
            case .late: .timeout
            case .endless: .responseTooLarge
            }
        }

        var content: HTTPBody.Chunks {
            let code = code
            guard self == .endless else {
                return AsyncThrowingStream<HTTPBody.Chunk, any Error> { chunks in
                    chunks.yield(Array("{\"id\":".utf8)[...])
                    chunks.finish(
                        throwing: NetworkError(code, "x", phase: .receive, attempts: 1, mayHaveBeenSent: true)
                    )
                }
            }
            let megabytes = [UInt8](repeating: 0x20, count: 8 << 20)[...]
            return AsyncThrowingStream<HTTPBody.Chunk, any Error>(unfolding: { megabytes })
        }
    }

    /// queue.content: the server has acted once, and is asked once.
    @Test(arguments: Fault.allCases) func aSuccessWithoutItsContentIsDone(fault: Fault) async throws {
        let fixture = try await EngineFixture { _, _ in
            .streamed(status: 201, fields: ["X-Number": "7"], fault.content)
        }
        await fixture.queue.start()
        let ticket = try await fixture.queue.enqueue(sample())
        let outcome = try await ticket.outcome()
        #expect(outcome.isDone && outcome.response == nil)
        let error = try #require(outcome.error)
        #expect(error.code == fault.code && error.status == 201 && error.mayHaveBeenSent)
        #expect(error.response?.fields["X-Number"] == "7")
        #expect(outcome.reason == fault.code.name)
        let entry = try #require(try await fixture.queue.entries().first)
        #expect(entry.state == .done && entry.reason == fault.code.name)
        #expect(fixture.transport.requests.count == 1)
        await fixture.queue.stop(within: .zero)
    }

    /// queue.content
    @Test(arguments: Fault.allCases) func aFailureWithoutItsContentIsRetried(fault: Fault) async throws {
        let fixture = try await EngineFixture { _, index in
            index < 4 ? .streamed(status: [500, 503, 502, 429][index], fault.content) : .status(200)
        }
        await fixture.queue.start()
        let ticket = try await fixture.queue.enqueue(sample())
        #expect(await fixture.advance { (try? await fixture.queue.counts()[.done]) == 1 })
        #expect(try await ticket.outcome().response?.status == 200)
        #expect(fixture.transport.requests.count == 5)
        await fixture.queue.stop(within: .zero)
    }

    /// queue.content: a transport that collects the content says the status with the error.
    @Test func anErrorWithAStatusIsJudgedByThat() async throws {
        let fixture = try await EngineFixture { request, index in
            let isDone = request.body.bytes == Array("done".utf8)
            return .failure(
                NetworkError(
                    .responseTooLarge, "x", status: isDone ? 200 : [503, 422][min(index, 1)],
                    mayHaveBeenSent: true))
        }
        await fixture.queue.start()
        let refused = try await fixture.queue.enqueue(sample("refused"))
        #expect(await fixture.advance { (try? await fixture.queue.counts()[.poison]) == 1 })
        #expect(try await refused.outcome().reason == "422")
        #expect(fixture.transport.requests.count == 2)
        #expect(try await fixture.queue.enqueue(sample("done")).outcome().isDone)
        await fixture.queue.stop(within: .zero)
    }

    /// queue.content: a head that is too large has no status. It is sent again, as after any response that is lost.
    @Test func aHeadThatIsTooLargeIsRetried() async throws {
        let fixture = try await EngineFixture { _, index in
            index > 0 ? .status(200) : .failure(NetworkError(.responseTooLarge, "x", mayHaveBeenSent: true))
        }
        await fixture.queue.start()
        let ticket = try await fixture.queue.enqueue(sample())
        #expect(await fixture.advance { (try? await fixture.queue.counts()[.done]) == 1 })
        #expect(try await ticket.outcome().isDone)
        #expect(fixture.transport.requests.count == 2)
        await fixture.queue.stop(within: .zero)
    }

    /// queue.content: the queue stops while the content of a success comes.
    @Test func aSuccessIsDoneAlsoIfTheQueueStopsWhileItsContentComes() async throws {
        let (clock, isRead) = (ManualClock(), Flag(false))
        let fixture = try await EngineFixture { _, _ in
            .streamed(
                status: 200,
                AsyncThrowingStream<HTTPBody.Chunk, any Error>(unfolding: {
                    isRead.set()
                    // It ends when its task is cancelled.
                    try await clock.sleep(until: clock.now + .seconds(1))
                    return nil
                }))
        }
        await fixture.queue.start()
        let ticket = try await fixture.queue.enqueue(sample())
        #expect(await isEventually { isRead.isSet })
        await fixture.queue.stop(within: .zero)
        #expect(try await fixture.queue.counts() == [.done: 1])
        let outcome = try await ticket.outcome()
        #expect(outcome.isDone && outcome.error?.code == .cancelled && outcome.error?.status == 200)
    }

    /// What a whole stream brings is the response of the outcome.
    @Test func aStreamIsCollectedForTheOutcome() async throws {
        let fixture = try await EngineFixture { _, _ in
            .streamed(
                status: 200,
                AsyncThrowingStream<HTTPBody.Chunk, any Error> { chunks in
                    for text in ["a", "b", "c"] { chunks.yield(Array(text.utf8)[...]) }
                    chunks.finish()
                })
        }
        await fixture.queue.start()
        let outcome = try await fixture.queue.enqueue(sample()).outcome()
        #expect(outcome.isDone && outcome.error == nil && outcome.reason == nil)
        #expect(try outcome.response?.text() == "abc")
        await fixture.queue.stop(within: .zero)
    }
}
