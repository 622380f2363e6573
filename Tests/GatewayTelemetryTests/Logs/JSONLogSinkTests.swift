import Foundation
import GatewayCore
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayTelemetry

@Suite struct JSONLogSinkTests {
    /// Keeps what was written, and can block.
    private final class Output: Sendable {
        private let bytes = Locked<[UInt8]>([])
        private let semaphore = DispatchSemaphore(value: 0)
        private let blocked = Locked(false)

        func write(_ new: [UInt8]) {
            if blocked.withLock({ $0 }) { semaphore.wait() }
            bytes.withLock { $0 += new }
        }

        func block() { blocked.withLock { $0 = true } }

        func open() {
            blocked.withLock { $0 = false }
            semaphore.signal()
        }

        var lines: [String] {
            String(decoding: bytes.withLock { $0 }, as: UTF8.self).split(separator: "\n").map(String.init)
        }

        func objects() throws -> [[String: Any]] {
            try lines.map { line in
                try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            }
        }
    }

    private let output = Output()
    private let clock = ManualClock()

    private func call(
        _ kind: RequestEvent.Kind, trace: UInt64? = nil, operation: GatewayCore.Operation = "list"
    ) throws -> RequestEvent {
        RequestEvent(
            callID: 0xAB, trace: trace.flatMap { TraceContext(traceIDHigh: 0xF, traceIDLow: $0, spanID: 1) },
            operation: operation, origin: try EventSamples.origin(), method: .get, kind: kind)
    }

    @Test func aLineHasTheFieldsOfItsEvent() async throws {
        let sink = JSONLogSink(clock: clock, write: output.write)
        clock.advance(by: .milliseconds(120))
        sink.record(
            try call(.succeeded(status: 200, attempts: 2, duration: .microseconds(42_100)), trace: 0xE))
        await sink.flush()
        #expect(
            output.lines == [
                #"{"time":"2026-01-01T00:00:00.120Z","level":"info","event":"succeeded","#
                    + #""trace_id":"000000000000000f000000000000000e","span_id":"0000000000000001","call_id":"00000000000000ab","#
                    + #""operation":"list","method":"GET","origin":"https://api.example.com","#
                    + #""status":200,"attempts":2,"duration_ms":42.1}"#
            ])
    }

    @Test func onlyAllowedFieldsAreWritten() async throws {
        let sink = JSONLogSink(
            level: .debug, fields: [.event, .status], clock: clock, write: output.write)
        for event in try EventSamples.calls() { sink.record(event) }
        for event in EventSamples.tokens() { sink.record(event) }
        for event in try EventSamples.states() { sink.record(event) }
        await sink.flush()
        let objects = try output.objects()
        #expect(
            objects.count == EventSamples.callKinds.count + 1 + EventSamples.tokenKinds.count
                + EventSamples.stateKinds.count)
        #expect(objects.allSatisfy { Set($0.keys).isSubset(of: ["event", "status"]) && $0["event"] != nil })
        #expect(Set(objects.compactMap { $0["event"] as? String }).count == objects.count)
    }

    @Test(arguments: JSONLogSink.Level.allCases)
    func lessImportantLinesAreLeftOut(level: JSONLogSink.Level) async throws {
        let sink = JSONLogSink(level: level, clock: clock, write: output.write)
        for event in try EventSamples.calls() { sink.record(event) }
        for event in EventSamples.tokens() { sink.record(event) }
        for event in try EventSamples.states() { sink.record(event) }
        await sink.flush()
        let levels = Set(
            try output.objects().compactMap { ($0["level"] as? String).flatMap(JSONLogSink.Level.init) })
        #expect(levels == Set(JSONLogSink.Level.allCases.filter { $0 <= level }))
        #expect(sink.interests.contains(.attempts) == (level == .debug))
    }

    /// Two services write the same traces; a problem is always written.
    @Test func successesAreSampledByTheirTrace() async throws {
        let other = Output()
        let sinks = [
            JSONLogSink(sampling: 0.1, clock: clock, write: output.write),
            JSONLogSink(sampling: 0.3, clock: clock, write: other.write),
        ]
        let random = SeededRandomSource(seed: TestSeed.value(11))
        for _ in 0..<2_000 {
            let trace = random.next()
            for sink in sinks {
                sink.record(try call(.succeeded(status: 200, attempts: 1, duration: .zero), trace: trace))
            }
        }
        for sink in sinks {
            sink.record(try call(.failed(FailureCause(.timeout), attempts: 1, duration: .zero), trace: 1))
            sink.record(try call(.succeeded(status: 404, attempts: 1, duration: .zero), trace: 1))
            await sink.flush()
        }
        let (few, more) = (try Self.traces(output), try Self.traces(other))
        #expect(Set(few).isSubset(of: more))
        #expect((150...260).contains(few.count) && (520...690).contains(more.count))
        #expect(few.suffix(2) == more.suffix(2))
        // What all samplers agree on (OpenTelemetry, ProbabilitySampler): the largest numbers are kept.
        #expect(try call(.started, trace: 0x00FF_FFFF_FFFF_FFFF).isSampled(1e-9))
        #expect(try !call(.started, trace: 0xFF00_0000_0000_0001).isSampled(0.999))
        #expect(try call(.started, trace: 0xFF00_0000_0000_0001).isSampled(1))
    }

    private static func traces(_ output: Output) throws -> [String] {
        try output.objects().compactMap { $0["trace_id"] as? String }
    }

    @Test(arguments: ExtremeValues.doubles, ExtremeValues.integers)
    func anyShareAndCapacityIsSafe(share: Double, capacity: Int) async throws {
        let output = Output()
        let sink = JSONLogSink(sampling: share, capacity: capacity, clock: clock, write: output.write)
        for duration in ExtremeValues.durations {
            sink.record(try call(.succeeded(status: 200, attempts: capacity, duration: duration)))
            await sink.flush()
        }
        let isKept = share.isNaN || share >= 1
        #expect(try output.objects().count == (isKept ? ExtremeValues.durations.count : 0))
    }

    @Test(.tags(.concurrent)) func aBlockedOutputDelaysNobodyAndDropsAreCounted() async throws {
        let sink = JSONLogSink(capacity: 10, linesPerSecond: nil, clock: clock, write: output.write)
        output.block()
        // One at least is in the hands of the writer, which is blocked.
        let event = try call(.failed(FailureCause(.timeout), attempts: 1, duration: .zero))
        for _ in 0..<1_000 { sink.record(event) }
        let dropped = sink.droppedCount
        #expect(dropped >= 980 && dropped < 1_000)
        output.open()
        await sink.flush()
        await sink.flush()
        let objects = try output.objects()
        let lines = objects.filter { $0["event"] as? String == "failed" }
        let reports = objects.filter { $0["event"] as? String == "log_dropped" }
        #expect(sink.droppedCount == dropped)
        #expect(lines.count + dropped == 1_000)
        #expect(reports.compactMap { $0["count"] as? Int }.reduce(0, +) == dropped)
    }

    /// An output that blocks, such as a pipe that nobody reads, keeps no program from its end.
    @Test(.tags(.concurrent)) func aFlushLeavesABlockedOutputAtItsDeadline() async throws {
        let sink = JSONLogSink(clock: clock, write: output.write)
        let telemetry = ClientTelemetry(metrics: RequestMetricsCollector(clock: clock), log: sink)
        output.block()
        telemetry.record(try call(.failed(FailureCause(.timeout), attempts: 1, duration: .zero)))
        async let isWritten = telemetry.flush(until: .after(.seconds(1), clock: clock))
        #expect(await isEventually { clock.requestedDelays.contains(.seconds(1)) })
        clock.advance(by: .seconds(1))
        #expect(await isWritten == false)
        output.open()
        #expect(await telemetry.flush(until: .after(.seconds(1), clock: clock)))
        #expect(output.lines.count == 1)
    }

    private final class Lines: Sendable {
        private let lines = Locked<Set<Substring>>([])

        var count: Int { lines.withLock { $0.count } }

        func add(_ bytes: [UInt8]) {
            let more = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
            lines.withLock { $0.formUnion(more) }
        }

        func contains(_ line: String) -> Bool { lines.withLock { $0.contains(line[...]) } }
    }

    /// A thread that records may be stopped before it starts the writer of its line and of those of others.
    @Test(.tags(.concurrent)) func aFlushReturnsAfterEveryLineBeforeIt() async throws {
        let written = Lines()
        let sink = JSONLogSink(fields: [.operation], linesPerSecond: nil, clock: clock) { written.add($0) }
        let origin = try Origin("https://a.example")
        let missing = await withTaskGroup(of: Int.self) { group in
            for task in 0..<8 {
                group.addTask {
                    var missing = 0
                    for number in 0..<500 {
                        let name = "\(task)-\(number)"
                        sink.record(
                            RequestEvent(
                                callID: 1, trace: nil, operation: GatewayCore.Operation(name),
                                origin: origin, method: .get,
                                kind: .failed(FailureCause(.timeout), attempts: 1, duration: .zero)))
                        await sink.flush()
                        let line = "{\"operation\":\"\(name)\"}"
                        if !written.contains(line) { missing += 1 }
                    }
                    return missing
                }
            }
            return await group.reduce(0, +)
        }
        #expect(missing == 0)
        #expect(written.count == 4_000)
    }

    /// The output records a further event with each line, until the flush has returned.
    @Test(.tags(.concurrent), .timeLimit(.minutes(1))) func aFlushDoesNotWaitForLaterEvents() async throws {
        let event = try call(.failed(FailureCause(.timeout), attempts: 1, duration: .zero))
        let recorder = Locked<JSONLogSink?>(nil)
        let sink = JSONLogSink(linesPerSecond: nil, clock: clock) { _ in
            recorder.withLock { $0 }?.record(event)
        }
        recorder.withLock { $0 = sink }
        sink.record(event)
        await sink.flush()
        recorder.withLock { $0 = nil }
    }

    @Test func aCancelledCallIsNoError() async throws {
        let sink = JSONLogSink(clock: clock, write: output.write)
        sink.record(try call(.cancelled(attempts: 1, duration: .seconds(1))))
        await sink.flush()
        let object = try #require(try output.objects().first)
        #expect(object["level"] as? String == "info" && object["error"] == nil && object["status"] == nil)
    }

    @Test func textIsEscaped() async throws {
        let sink = JSONLogSink(clock: clock, write: output.write)
        let name = "a\"b\\c\nd\u{0}e\r\u{7}é" + String(decoding: [0xFF, 0xC3] as [UInt8], as: UTF8.self)
        sink.record(
            try call(
                .failed(FailureCause(.timeout), attempts: 1, duration: .seconds(-1)),
                operation: GatewayCore.Operation(name)))
        await sink.flush()
        #expect(output.lines.count == 1)
        let object = try #require(try output.objects().first)
        #expect(object["operation"] as? String == name)
        #expect(object["duration_ms"] as? Double == 0)
    }
}
