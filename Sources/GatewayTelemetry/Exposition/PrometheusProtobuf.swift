/// Writes metrics as messages of `io.prometheus.client.MetricFamily`, each after its length: the only format in which
/// Prometheus reads native histograms.
enum PrometheusProtobuf {
    /// The messages of metrics.
    ///
    /// - Parameter target: the labels of `target_info`; none without any.
    static func write(_ families: [MetricFamily], target: [MetricFamily.Label]) -> [UInt8] {
        var writer = ProtobufWriter()
        if !target.isEmpty {
            writer.delimited { family in
                head(&family, name: "target_info", help: "The process.", form: .gauge)
                family.message(4) { metric in
                    labels(&metric, target)
                    metric.message(2) { $0.double(1, 1) }
                }
            }
        }
        for family in families { writer.delimited { write(family, to: &$0) } }
        return writer.bytes
    }

    // MetricFamily: name = 1, help = 2, type = 3, metric = 4.
    private static func head(
        _ writer: inout ProtobufWriter, name: String, help: String, form: Instrument.Form
    ) {
        writer.string(1, name)
        writer.string(2, help)
        let type: UInt64 =
            switch form {
            case .counter: 0
            case .gauge: 1
            case .histogram: 4
            }
        writer.unsigned(3, type)
    }

    private static func write(_ family: MetricFamily, to writer: inout ProtobufWriter) {
        let descriptor = family.instrument.descriptor
        let isCounter = descriptor.form == .counter
        head(
            &writer, name: family.name + (isCounter ? "_total" : ""), help: descriptor.help,
            form: descriptor.form)
        for point in family.points {
            // Metric: label = 1, gauge = 2, counter = 3, histogram = 7.
            writer.message(4) { metric in
                labels(&metric, point.labels)
                switch point.value {
                case .number(let value): metric.message(isCounter ? 3 : 2) { $0.double(1, value) }
                case .histogram(let series): metric.message(7) { write(series, to: &$0) }
                }
            }
        }
    }

    // LabelPair: name = 1, value = 2.
    private static func labels(_ writer: inout ProtobufWriter, _ labels: [MetricFamily.Label]) {
        for label in labels {
            writer.message(1) {
                $0.string(1, label.name)
                $0.string(2, label.value)
            }
        }
    }

    // Histogram: sample_count = 1, sample_sum = 2, bucket = 3, schema = 5, zero_threshold = 6, zero_count = 7,
    // positive_span = 12, positive_delta = 13.
    private static func write(_ series: HistogramSeries, to writer: inout ProtobufWriter) {
        let histogram = series.histogram
        let count = UInt64(histogram.count)
        writer.unsigned(1, count)
        writer.double(2, Double(histogram.nanoseconds) / 1e9)
        for (bucket, cumulative) in (series.cumulativeCounts + [count]).enumerated() {
            // Bucket: cumulative_count = 1, upper_bound = 2, exemplar = 3.
            writer.message(3) { message in
                message.unsigned(1, cumulative)
                message.double(
                    2, bucket < HistogramSeries.bounds.count ? HistogramSeries.bounds[bucket] : .infinity)
                if let exemplar = series.exemplars.first(where: { $0.bucket == bucket }) {
                    message.message(3) { write(exemplar, to: &$0) }
                }
            }
        }
        writer.signed(5, Int64(ExponentialBuckets.scale))
        writer.double(6, ExponentialBuckets.zeroThreshold)
        writer.unsigned(7, histogram.zeroCount)
        writeSpans(Array(histogram.slots), to: &writer)
    }

    /// Runs of buckets, each as the distance from the one before and its length, and the differences of the counts. Prometheus
    /// numbers a bucket by its upper bound, OpenTelemetry by its lower one.
    private static func writeSpans(_ slots: [DurationHistogram.Slot], to writer: inout ProtobufWriter) {
        var next: Int?
        var start = 0
        while start < slots.count {
            var end = start + 1
            while end < slots.count, slots[end].slot == slots[end - 1].slot + 1 { end += 1 }
            let first = slots[start].slot + ExponentialBuckets.firstIndex + 1
            // BucketSpan: offset = 1, length = 2.
            writer.message(12) {
                $0.signed(1, Int64(first - (next ?? 0)))
                $0.unsigned(2, UInt64(end - start))
            }
            next = first + end - start
            start = end
        }
        // A histogram without spans would be read as one with explicit buckets alone.
        if slots.isEmpty {
            writer.message(12) {
                $0.signed(1, 0)
                $0.unsigned(2, 0)
            }
        }
        var previous: UInt64 = 0
        for slot in slots {
            writer.signed(13, Int64(bitPattern: slot.count &- previous))
            previous = slot.count
        }
    }

    // Exemplar: label = 1, value = 2, timestamp = 3. Timestamp: seconds = 1, nanos = 2.
    private static func write(_ exemplar: HistogramSeries.Exemplar, to writer: inout ProtobufWriter) {
        labels(&writer, exemplar.labels)
        writer.double(2, Double(exemplar.nanoseconds) / 1e9)
        let milliseconds = UInt64(clamping: exemplar.unixMilliseconds)
        writer.message(3) {
            $0.unsigned(1, milliseconds / 1_000)
            $0.unsigned(2, milliseconds % 1_000 * 1_000_000)
        }
    }
}
