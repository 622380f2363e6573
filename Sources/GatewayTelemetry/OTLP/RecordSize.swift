import GatewayCore

// How much memory records that wait take, roughly: mostly that of their text.

extension FinishedSpan {
    /// The bytes of the span.
    var byteEstimate: Int {
        let own = 256 + name.utf8.count + position.state.utf8.count + attributes.byteEstimate
        let inEvents = events.reduce(0) { $0 + 64 + $1.name.utf8.count + $1.attributes.byteEstimate }
        return links.reduce(own + inEvents) { $0 + 64 + $1.state.utf8.count }
    }
}

extension [FinishedSpan.Attribute] {
    fileprivate var byteEstimate: Int {
        reduce(0) { sum, attribute in
            let text = if case .text(let text) = attribute.value { text.utf8.count } else { 0 }
            return sum + 48 + text
        }
    }
}

extension LogRecord {
    /// The bytes of the record.
    var byteEstimate: Int {
        entry.fields.reduce(256) { sum, field in
            let text = if case .text(let text)? = field.1 { text.utf8.count } else { 0 }
            return sum + 48 + text
        }
    }
}
