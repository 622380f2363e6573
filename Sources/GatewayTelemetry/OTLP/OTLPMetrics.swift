import GatewayCore

/// The metrics at a time.
struct MetricSnapshot: Sendable {
    let families: [MetricFamily]
    /// When counting began, since 1970. The same in all snapshots of a collector.
    let startNanoseconds: UInt64
    /// Since 1970; not before the start.
    let nanoseconds: UInt64
}

extension RequestMetricsCollector {
    /// All metrics, as they are exported.
    func exportSnapshot() async -> MetricSnapshot {
        let connections = await connectionStatistics()
        let (now, time) = (clock.now, clock.unixTime.metricNanoseconds)
        return MetricSnapshot(
            families: copy().families(connections, now: now), startNanoseconds: startNanoseconds,
            nanoseconds: max(startNanoseconds, time))
    }
}

extension OTLPResource {
    /// An `ExportMetricsServiceRequest`.
    ///
    /// - Parameter isExponential: the form of histograms; otherwise they have the explicit buckets of OpenTelemetry's HTTP
    ///   conventions.
    func request(_ snapshot: MetricSnapshot, isExponential: Bool) -> OTLPMessage {
        request(
            "resourceMetrics", "scopeMetrics", "metrics",
            snapshot.families.map { $0.message(snapshot, isExponential: isExponential) })
    }
}

extension MetricFamily {
    /// `AGGREGATION_TEMPORALITY_CUMULATIVE`.
    private static let cumulative = OTLPMessage.Value.number(2)

    /// Values that are added over all series are sums in OpenTelemetry's conventions (`UpDownCounter`), with these units.
    private static let upDownUnits: [Instrument: String] = [
        .activeRequests: "{request}", .openConnections: "{connection}",
    ]

    // Metric: name = 1, description = 2, unit = 3, gauge = 5, sum = 7, histogram = 9, exponential_histogram = 10.
    fileprivate func message(_ snapshot: MetricSnapshot, isExponential: Bool) -> OTLPMessage {
        let descriptor = instrument.descriptor
        var message = OTLPMessage([
            (1, "name", .text(descriptor.name)), (2, "description", .text(descriptor.help)),
        ])
        let upDownUnit = Self.upDownUnits[instrument]
        if let unit = descriptor.isInSeconds ? "s" : upDownUnit { message.add(3, "unit", .text(unit)) }
        let points = OTLPMessage.Value.messages(
            points.map { $0.message(snapshot, isExponential: isExponential) })
        switch descriptor.form {
        case .gauge where upDownUnit == nil:
            message.add(5, "gauge", .message(OTLPMessage([(1, "dataPoints", points)])))
        case .counter, .gauge:
            message.add(
                7, "sum",
                .message(
                    OTLPMessage([
                        (1, "dataPoints", points), (2, "aggregationTemporality", Self.cumulative),
                        (3, "isMonotonic", .flag(upDownUnit == nil)),
                    ])))
        case .histogram:
            let histogram = OTLPMessage([
                (1, "dataPoints", points), (2, "aggregationTemporality", Self.cumulative),
            ])
            message.add(
                isExponential ? 10 : 9, isExponential ? "exponentialHistogram" : "histogram",
                .message(histogram))
        }
        return message
    }
}

extension MetricFamily.Point {
    /// Attributes that are integers in OpenTelemetry's conventions.
    private static let integers: Set<String> = ["server.port", "http.response.status_code"]

    // NumberDataPoint: start_time_unix_nano = 2, time_unix_nano = 3, as_double = 4, attributes = 7. HistogramDataPoint has its
    // attributes in 9, ExponentialHistogramDataPoint in 1; the times have the same numbers.
    fileprivate func message(_ snapshot: MetricSnapshot, isExponential: Bool) -> OTLPMessage {
        var message = OTLPMessage([
            (2, "startTimeUnixNano", .fixed64(snapshot.startNanoseconds)),
            (3, "timeUnixNano", .fixed64(snapshot.nanoseconds)),
        ])
        let attributes = OTLPMessage.Value.attributes(
            labels.map { label in
                let number = Self.integers.contains(label.attribute) ? Int(label.value) : nil
                return FinishedSpan.Attribute(
                    label.attribute, number.map { .integer($0) } ?? .text(label.value))
            })
        switch value {
        case .number(let number):
            message.add(4, "asDouble", .double(number))
            message.add(7, "attributes", attributes)
        case .histogram(let series):
            message.add(isExponential ? 1 : 9, "attributes", attributes)
            message.add(4, "count", .fixed64(UInt64(series.histogram.count)))
            message.add(5, "sum", .double(Double(series.histogram.nanoseconds) / 1e9))
            if isExponential { series.addExponential(to: &message) } else { series.addExplicit(to: &message) }
        }
        return message
    }
}

extension HistogramSeries {
    // HistogramDataPoint: bucket_counts = 6, explicit_bounds = 7, exemplars = 8.
    fileprivate func addExplicit(to message: inout OTLPMessage) {
        var counts: [UInt64] = []
        var previous: UInt64 = 0
        for cumulative in cumulativeCounts + [UInt64(histogram.count)] {
            counts.append(cumulative.subtractingClamped(previous))
            previous = cumulative
        }
        message.add(6, "bucketCounts", .fixed64s(counts))
        message.add(7, "explicitBounds", .doubles(Self.bounds.indices.map { Self.bounds[$0] }))
        if !exemplars.isEmpty { message.add(8, "exemplars", .messages(exemplars.map(\.message))) }
    }

    // ExponentialHistogramDataPoint: scale = 6, zero_count = 7, positive = 8, exemplars = 11, zero_threshold = 14.
    // Buckets: offset = 1, bucket_counts = 2.
    fileprivate func addExponential(to message: inout OTLPMessage) {
        message.add(6, "scale", .signed(Int64(ExponentialBuckets.scale)))
        message.add(7, "zeroCount", .fixed64(histogram.zeroCount))
        let slots = Array(histogram.slots)
        if let first = slots.first, let last = slots.last {
            var counts = [UInt64](repeating: 0, count: last.slot - first.slot + 1)
            for slot in slots { counts[slot.slot - first.slot] = slot.count }
            let buckets = OTLPMessage([
                (1, "offset", .signed(Int64(first.slot + ExponentialBuckets.firstIndex))),
                (2, "bucketCounts", .integers(counts)),
            ])
            message.add(8, "positive", .message(buckets))
        }
        if !exemplars.isEmpty { message.add(11, "exemplars", .messages(exemplars.map(\.message))) }
        message.add(14, "zeroThreshold", .double(ExponentialBuckets.zeroThreshold))
    }
}

extension HistogramSeries.Exemplar {
    // Exemplar: time_unix_nano = 2, as_double = 3, span_id = 4, trace_id = 5.
    fileprivate var message: OTLPMessage {
        OTLPMessage([
            (
                2, "timeUnixNano",
                .fixed64(
                    UInt64(clamping: unixMilliseconds).multipliedReportingOverflow(by: 1_000_000).partialValue
                )
            ),
            (3, "asDouble", .double(Double(nanoseconds) / 1e9)),
            (4, "spanId", .spanID(spanID)), (5, "traceId", .traceID(traceIDHigh, traceIDLow)),
        ])
    }
}
