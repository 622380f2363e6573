import GatewayCore
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayTelemetry

/// Lines of one kind are bounded by the second, and those that are left out are counted.
@Suite struct LineLimitTests {
    private final class Output: Sendable {
        private let written = Locked<[String]>([])
        var lines: [String] { written.withLock { $0 } }
        func write(_ bytes: [UInt8]) {
            let more = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
            written.withLock { $0 += more }
        }
    }

    private let clock = ManualClock()
    private let output = Output()

    private func sink(_ limit: Int? = 3, level: JSONLogSink.Level = .info) -> JSONLogSink {
        return JSONLogSink(
            level: level, fields: [.event, .kind, .status, .error, .count, .level], linesPerSecond: limit,
            clock: clock, write: output.write)
    }

    private func event(_ kind: RequestEvent.Kind) throws -> RequestEvent {
        RequestEvent(
            callID: 1, operation: "list", origin: try EventSamples.origin(), method: .get, kind: kind)
    }

    private func failure(_ code: NetworkError.Code) throws -> RequestEvent {
        try event(.failed(FailureCause(code), attempts: 1, duration: .zero))
    }

    private func count(_ part: String) -> Int { output.lines.count { $0.contains(part) } }

    private static func omission(_ error: String, _ count: Int) -> String {
        #"{"level":"error","event":"lines_omitted","kind":"failed","error":"\#(error)","count":\#(count)}"#
    }

    /// `telemetry.line-limit`
    @Test func aFlushReportsWhatWasLeftOut() async throws {
        let sink = sink()
        for _ in 0..<10 { sink.record(try failure(.timeout)) }
        for _ in 0..<4 { sink.record(try failure(.dnsFailure)) }
        sink.record(try event(.succeeded(status: 503, attempts: 1, duration: .zero)))
        await sink.flush()
        #expect(count(#""event":"failed","error":"timeout""#) == 3)
        #expect(count(#""event":"failed""#) == 6 && count(#""status":503"#) == 1)
        let reports = output.lines.suffix(2)
        #expect(Array(reports) == [Self.omission("timeout", 7), Self.omission("dns_failure", 1)])
        #expect(sink.omittedCount == 8)
        // Each line is reported once.
        await sink.flush()
        #expect(count("lines_omitted") == 2)
        sink.record(try failure(.timeout))
        await sink.flush()
        #expect(output.lines.last == Self.omission("timeout", 1) && sink.omittedCount == 9)
    }

    /// `telemetry.line-limit`: without a further line and without a flush.
    @Test(.timeLimit(.minutes(1))) func theNextSecondReportsWhatWasLeftOut() async throws {
        let sink = sink()
        for _ in 0..<10 { sink.record(try failure(.timeout)) }
        #expect(await isEventually { sink.omittedCount == 7 })
        #expect(count("lines_omitted") == 0)
        #expect(
            await isEventually {
                clock.advance(by: .seconds(1))
                return count("lines_omitted") > 0
            })
        #expect(output.lines.last == Self.omission("timeout", 7))
        for _ in 0..<3 { sink.record(try failure(.timeout)) }
        await sink.flush()
        #expect(count("lines_omitted") == 1 && count(#""event":"failed""#) == 6)
    }

    /// `telemetry.line-limit`: they are bounded by sampling.
    @Test func callsWithoutAProblemAreNotLimited() async throws {
        let sink = sink()
        for _ in 0..<50 { sink.record(try event(.succeeded(status: 200, attempts: 1, duration: .zero))) }
        await sink.flush()
        #expect(output.lines.count == 50)
        let unlimited = self.sink(nil)
        for _ in 0..<500 { unlimited.record(try failure(.timeout)) }
        await unlimited.flush()
        #expect(output.lines.count == 550 && unlimited.omittedCount == 0)
    }

    /// `telemetry.line-limit`
    @Test func everyLineIsWrittenOrCounted() {
        var limit = LineLimit(linesPerSecond: 2)
        let random = SeededRandomSource(seed: TestSeed.value(41))
        var (written, reported, all) = (0, 0, 0)
        for second in 0..<200 as Range<Int64> {
            reported += limit.begin(second).map(\.count).reduce(0, +)
            for _ in 0..<random.next() % 60 {
                let kind = LineLimit.Kind(event: "e\(random.next() % 4_000)", error: nil, status: 500)
                all += 1
                if limit.admits(kind, .warning) { written += 1 }
            }
            if random.next() % 3 == 0 { reported += limit.takeOmissions().map(\.count).reduce(0, +) }
        }
        for number in 0..<5_000 {
            all += 1
            if limit.admits(LineLimit.Kind(event: "many \(number)"), .error) { written += 1 }
        }
        reported += limit.takeOmissions().map(\.count).reduce(0, +)
        #expect(written + reported == all && limit.omittedCount == reported)
        let rest = limit.takeOmissions()
        #expect(!limit.hasOmissions && rest.isEmpty)
    }

    @Test(arguments: ExtremeValues.integers) func anyLimitIsSafe(limit: Int) {
        var limits = LineLimit(linesPerSecond: limit)
        let kind = LineLimit.Kind(event: "e")
        let first = limits.admits(kind, .error)
        _ = limits.begin(.max)
        _ = limits.begin(.min)
        let second = limits.admits(kind, .error)
        #expect(first && second)
    }
}
