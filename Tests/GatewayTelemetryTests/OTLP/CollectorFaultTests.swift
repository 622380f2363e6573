import Foundation
import GatewayClient
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayTelemetry

/// A collector of opentelemetry-proto that fails in 16 ways.
@Suite(.enabled(if: CollectorServer.url != nil)) struct CollectorFaultTests {
    /// What a fault leads to, as the protocol's table says.
    private enum Consequence {
        /// The batch is sent again, and taken.
        case repeated
        /// The batch is not sent again, and lost.
        case lost(String)
        /// The batch is taken, but for some records.
        case taken(rejected: Int)
    }

    private static let faults: [(name: String, consequence: Consequence)] = [
        ("partial", .taken(rejected: 3)), ("slow", .taken(rejected: 0)),
        ("400", .lost("400")), ("401", .lost("401")), ("408", .lost("408")), ("413", .lost("413")),
        ("500", .lost("500")), ("html", .lost("malformed_response")), ("large", .lost("response_too_large")),
        ("seconds", .repeated), ("date", .repeated), ("502", .repeated), ("503", .repeated),
        ("504", .repeated), ("reset", .repeated), ("hang", .repeated),
    ]

    /// Each span has one outcome, and the collector has those that count as exported: the first request meets a fault, others
    /// are taken; spans that come too fast have no room.
    @Test(.waits("the protocol's shortest delays are of 1 s"), .timeLimit(.minutes(5)), .tags(.concurrent))
    func eachFaultHasItsConsequence() async throws {
        #expect(Self.faults.count == 16)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for fault in Self.faults {
                group.addTask { try await check(fault.name, fault.consequence) }
            }
            try await group.waitForAll()
        }
    }

    private func check(_ fault: String, _ consequence: Consequence) async throws {
        let collector = try CollectorServer(fault)
        var configuration = OTLPConfiguration()
        configuration.traces = .init(collector.url(fault: fault))
        // What hangs is given up early; other requests have time enough on any machine.
        configuration.traces?.timeout = fault == "hang" ? .seconds(1) : .seconds(3_600)
        configuration.traces?.isCompressed = fault == "503"
        configuration.exportTimeout = .seconds(3_600)
        configuration.batchDelay = .seconds(3_600)
        configuration.queueLimit = 30
        configuration.batchLimit = 20
        let exporter = try OTLPExporter(configuration, transport: collector.transport)
        for number in UInt64(1)...100 { exporter.add(try SampleSpan.make(number)) }
        #expect(await exporter.flush(until: .after(.seconds(3_600))))
        let counts = try #require(exporter.spans)
        #expect(counts.ended == 100, "\(fault)")
        #expect(counts.exported + counts.rejected + counts.failed + counts.dropped == 100, "\(fault)")

        let report = try await collector.report()
        #expect(report.problems.isEmpty, "\(fault): \(report.problems)")
        #expect(Set(report.spans).count == counts.exported, "\(fault)")
        let (batches, requests) = (Set(report.requests.compactMap(\.digest)).count, report.requests)
        switch consequence {
        case .repeated:
            #expect(requests.count > batches && requests[0].digest == requests[1].digest, "\(fault)")
            #expect(counts.failed == 0 && counts.rejected == 0 && counts.lastFailure == nil, "\(fault)")
            #expect(requests[1].at >= requests[0].earliest ?? 0, "\(fault)")
        case .lost(let failure):
            #expect(requests.count == batches, "\(fault)")
            #expect((1...20).contains(counts.failed) && counts.rejected == 0, "\(fault)")
            #expect(counts.lastFailure == failure, "\(fault)")
        case .taken(let rejected):
            #expect(requests.count == batches, "\(fault)")
            #expect(counts.rejected == rejected && counts.failed == 0, "\(fault)")
        }
        await collector.transport.shutdown()
    }
}
