import GatewayCore
import Testing

@testable import GatewayTelemetry

@Suite struct PrometheusProtobufTests {
    private let accept =
        "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited"

    private func families(_ collector: RequestMetricsCollector) async throws -> [String: [UInt64:
        [ProtobufReader.Value]]]
    {
        let (type, bytes) = await collector.exposition(accepting: accept)
        #expect(type == ExpositionFormat.protobuf.rawValue)
        var reader = ProtobufReader(bytes)
        var families: [String: [UInt64: [ProtobufReader.Value]]] = [:]
        while !reader.isAtEnd {
            let family = try ProtobufReader.fields(try reader.delimited())
            families[try #require(family[1]?.first?.text)] = family
        }
        return families
    }

    @Test func countersAndGaugesHaveTheirTypes() async throws {
        let collector = RequestMetricsCollector(serviceName: "shop")
        for event in try EventSamples.calls() { collector.record(event) }
        let families = try await families(collector)
        let counter = try #require(families["gateway_client_started_calls_total"])
        #expect(counter[3]?.first?.unsigned == 0)
        let metric = try ProtobufReader.fields(try #require(counter[4]?.first?.bytes))
        #expect(try ProtobufReader.fields(try #require(metric[3]?.first?.bytes))[1]?.first?.double == 1)
        #expect(families["http_client_active_requests"]?[3]?.first?.unsigned == 1)
        let target = try #require(families["target_info"]?[4]?.first?.bytes)
        let label = try ProtobufReader.fields(
            try #require(try ProtobufReader.fields(target)[1]?.first?.bytes))
        #expect(label[1]?.first?.text == "service_name" && label[2]?.first?.text == "shop")
    }

    /// The native buckets, read as Prometheus does: each bucket once, with its count and its upper bound.
    @Test func nativeBucketsAreThoseOfTheHistogram() async throws {
        let collector = RequestMetricsCollector()
        let origin = try EventSamples.origin()
        var reference = DurationHistogram()
        for sample in Distribution.bimodal.samples(3_000) + [0, 3, 5_000_000_000_000] {
            reference.record(nanoseconds: sample)
            collector.record(
                RequestEvent(
                    callID: 1, operation: nil, origin: origin, method: .get,
                    kind: .succeeded(status: 200, attempts: 1, duration: .nanoseconds(Int64(sample)))))
        }
        let family = try #require(try await families(collector)["gateway_client_call_duration_seconds"])
        #expect(family[3]?.first?.unsigned == 4)
        let metric = try ProtobufReader.fields(try #require(family[4]?.first?.bytes))
        let histogram = try ProtobufReader.fields(try #require(metric[7]?.first?.bytes))
        #expect(histogram[1]?.first?.unsigned == 3_003)
        #expect(histogram[5]?.first?.signed == 5)
        #expect(histogram[6]?.first?.double == ExponentialBuckets.zeroThreshold)
        #expect(histogram[7]?.first?.unsigned == 2)
        var (index, count, deltas): (Int64, Int64, [Int64]) = (0, 0, (histogram[13] ?? []).map(\.signed))
        var found: [Int64: Int64] = [:]
        for span in histogram[12] ?? [] {
            let fields = try ProtobufReader.fields(span.bytes)
            index += try #require(fields[1]?.first?.signed)
            for _ in 0..<(try #require(fields[2]?.first?.unsigned)) {
                count += deltas.removeFirst()
                found[index] = count
                index += 1
            }
        }
        #expect(deltas.isEmpty)
        let expected = reference.slots.map {
            (Int64($0.slot + ExponentialBuckets.firstIndex + 1), Int64($0.count))
        }
        #expect(found == Dictionary(uniqueKeysWithValues: expected))
        #expect(found.values.reduce(0, +) == 3_001)
        // The explicit buckets are there, too, for Prometheus without native histograms.
        let bounds = try (histogram[3] ?? []).map {
            try #require(try ProtobufReader.fields($0.bytes)[2]?.first?.double)
        }
        #expect(bounds.count == 15 && bounds.last == .infinity)
    }

    @Test func numbersAreWrittenAsTheEncodingSays() {
        var writer = ProtobufWriter()
        writer.unsigned(1, 150)
        writer.signed(2, -2)
        writer.signed(3, .min)
        writer.string(16, "é")
        #expect(
            writer.bytes == [
                0x08, 0x96, 0x01, 0x10, 0x03, 0x18, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
                0x01,
                0x82, 0x01, 0x02, 0xC3, 0xA9,
            ])
    }
}
