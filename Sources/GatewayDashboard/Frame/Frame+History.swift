import GatewayJSON

extension History.Column {
    /// The column as the page gets it: an array of fixed positions.
    var json: [UInt8] {
        var writer = JSONWriter()
        writer.beginArray()
        writer.integer(number)
        for count in [started, succeeded, errorResponses, errors, cancelled, retries] {
            writer.integer(count)
        }
        for percentile in [p50, p95, p99] {
            if let percentile { writer.milliseconds(percentile) } else { writer.null() }
        }
        writer.beginArray()
        for row in heat.indices { writer.integer(heat[row]) }
        writer.endArray()
        writer.endArray()
        return (try? writer.finished()) ?? Array("[]".utf8)
    }
}
