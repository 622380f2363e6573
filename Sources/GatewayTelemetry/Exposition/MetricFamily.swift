import GatewayCore

/// The series of an instrument, as they are exported.
struct MetricFamily: Sendable {
    /// A label. Its value is not empty.
    struct Label: Hashable, Sendable {
        /// A name of OpenTelemetry's conventions, or one of ours without the prefix `gateway.`.
        private let key: String
        let value: String
        /// The name of the attribute in OpenTelemetry.
        var attribute: String { key.utf8.contains(UInt8(ascii: ".")) ? key : "gateway." + key }
        /// The name in Prometheus.
        var name: String { MetricFamily.name(key) }

        init(name: String, value: String) {
            key = name
            self.value = value
        }
    }

    /// A value of a series.
    enum Value: Sendable {
        case number(Double)
        case histogram(HistogramSeries)
    }

    /// A series.
    struct Point: Sendable {
        let labels: [Label]
        var value: Value
    }

    let instrument: Instrument
    private(set) var points: [Point] = []
    private var positions: [[Label]: Int] = [:]

    init(_ instrument: Instrument) { self.instrument = instrument }

    /// Adds a series. Labels without a value are left out. A series whose labels are there already is added to that one:
    /// a scrape with two series of the same labels is rejected as a whole.
    mutating func add(_ labels: [(String, String)], _ value: Value) {
        let labels = labels.compactMap { name, value in
            value.isEmpty ? nil : Label(name: name, value: Self.printable(value))
        }
        guard let position = positions[labels] else {
            positions[labels] = points.count
            points.append(Point(labels: labels, value: value))
            return
        }
        switch (points[position].value, value) {
        case (.number(let known), .number(let other)):
            points[position].value = .number(instrument.descriptor.form == .counter ? known + other : other)
        case (.histogram(var known), .histogram(let other)):
            known.merge(other)
            points[position].value = .histogram(known)
        case (.number, .histogram), (.histogram, .number): break
        }
    }

    /// Adds the series for what had no room.
    mutating func addOverflow(_ value: Value?) {
        if let value { add([("otel.metric.overflow", "true")], value) }
    }

    /// The name in Prometheus, without `_total`.
    var name: String {
        Self.name(instrument.descriptor.name) + (instrument.descriptor.isInSeconds ? "_seconds" : "")
    }

    private static func name(_ name: String) -> String {
        String(decoding: name.utf8.map { $0 == UInt8(ascii: ".") ? UInt8(ascii: "_") : $0 }, as: UTF8.self)
    }

    /// The text without control characters except line feeds, which the formats have no notation for.
    private static func printable(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { return text }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            let isControl = scalar.value < 0x20 || scalar.value == 0x7F
            result.append(isControl && scalar != "\n" ? "\u{FFFD}" : scalar)
        }
        return String(result)
    }
}
