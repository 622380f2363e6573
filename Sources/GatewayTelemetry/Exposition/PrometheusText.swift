import GatewayCore

/// Writes metrics as text: the Prometheus format 0.0.4, or OpenMetrics 1.0.0, which has exemplars and units.
struct PrometheusText {
    private let isOpenMetrics: Bool
    private var bytes: [UInt8] = []

    /// The text of metrics.
    ///
    /// - Parameter target: the labels of `target_info`, which describes the process; none without any.
    static func write(
        _ families: [MetricFamily], target: [MetricFamily.Label], isOpenMetrics: Bool
    ) -> [UInt8] {
        var text = PrometheusText(isOpenMetrics: isOpenMetrics)
        text.add(target: target)
        for family in families { text.add(family) }
        if isOpenMetrics { text.append("# EOF\n") }
        return text.bytes
    }

    private init(isOpenMetrics: Bool) {
        self.isOpenMetrics = isOpenMetrics
        bytes.reserveCapacity(16_384)
    }

    private mutating func add(target: [MetricFamily.Label]) {
        guard !target.isEmpty else { return }
        append("# HELP \(isOpenMetrics ? "target" : "target_info") The process.\n")
        append("# TYPE \(isOpenMetrics ? "target info" : "target_info gauge")\n")
        append("target_info")
        append(target)
        append(" 1\n")
    }

    private mutating func add(_ family: MetricFamily) {
        let descriptor = family.instrument.descriptor
        let isCounter = descriptor.form == .counter
        let sampleName = family.name + (isCounter ? "_total" : "")
        let name = isOpenMetrics ? family.name : sampleName
        append("# HELP \(name) \(descriptor.help)\n")
        append(
            "# TYPE \(name) \(isCounter ? "counter" : descriptor.form == .gauge ? "gauge" : "histogram")\n")
        if isOpenMetrics, descriptor.isInSeconds { append("# UNIT \(name) seconds\n") }
        for point in family.points {
            switch point.value {
            case .number(let value):
                append(sampleName)
                append(point.labels)
                append(" \(value)\n")
            case .histogram(let series): add(series, sampleName, point.labels)
            }
        }
    }

    private mutating func add(_ series: HistogramSeries, _ name: String, _ labels: [MetricFamily.Label]) {
        let count = UInt64(series.histogram.count)
        let counts = series.cumulativeCounts + [count]
        for (bucket, cumulative) in counts.enumerated() {
            let bound = bucket < HistogramSeries.bounds.count ? "\(HistogramSeries.bounds[bucket])" : "+Inf"
            append(name + "_bucket")
            append(labels + [MetricFamily.Label(name: "le", value: bound)])
            append(" \(cumulative)")
            if isOpenMetrics, let exemplar = series.exemplars.first(where: { $0.bucket == bucket }) {
                append(exemplar)
            }
            append("\n")
        }
        append(name + "_sum")
        append(labels)
        append(" \(Double(series.histogram.nanoseconds) / 1e9)\n")
        append(name + "_count")
        append(labels)
        append(" \(count)\n")
    }

    private mutating func append(_ exemplar: HistogramSeries.Exemplar) {
        append(" # ")
        append(exemplar.labels)
        append(" \(Double(exemplar.nanoseconds) / 1e9)")
        append(" \(Double(exemplar.unixMilliseconds) / 1_000)")
    }

    private mutating func append(_ labels: [MetricFamily.Label]) {
        guard !labels.isEmpty else { return }
        append("{")
        for (index, label) in labels.enumerated() {
            append("\(index > 0 ? "," : "")\(label.name)=\"")
            for byte in label.value.utf8 {
                switch byte {
                case UInt8(ascii: "\n"): append("\\n")
                case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
                default: bytes.append(byte)
                }
            }
            append("\"")
        }
        append("}")
    }

    private mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }
}

extension HistogramSeries.Exemplar {
    /// The IDs in hexadecimal digits.
    var labels: [MetricFamily.Label] {
        [
            MetricFamily.Label(name: "trace_id", value: traceIDHigh.hexadecimal + traceIDLow.hexadecimal),
            MetricFamily.Label(name: "span_id", value: spanID.hexadecimal),
        ]
    }
}
