import GatewayCore
import GatewayJSON

/// A message of the OpenTelemetry protocol: its fields have numbers for protocol buffers and names for JSON, so that both forms
/// are written from one description.
struct OTLPMessage: Sendable {
    enum Value: Sendable {
        case text(String)
        /// The two halves of a trace ID: hexadecimal in JSON.
        case traceID(UInt64, UInt64)
        /// Hexadecimal in JSON.
        case spanID(UInt64)
        case flag(Bool)
        /// `uint32` or an enum: a number in JSON.
        case number(UInt64)
        /// `sint32`: a number in JSON.
        case signed(Int64)
        /// `fixed32`: a number in JSON.
        case fixed32(UInt32)
        /// `int64`: a string in JSON.
        case integer(Int64)
        /// `fixed64`: a string in JSON.
        case fixed64(UInt64)
        case double(Double)
        case message(OTLPMessage)
        case messages([OTLPMessage])
        /// `KeyValue` messages. Most of what is sent are attributes: they are no messages of their own in memory.
        case attributes([FinishedSpan.Attribute])
        /// Packed `fixed64`.
        case fixed64s([UInt64])
        /// Packed `uint64`.
        case integers([UInt64])
        /// Packed `double`.
        case doubles([Double])
    }

    /// Each with its number and its name.
    private var fields: [(UInt64, String, Value)] = []

    init() {}

    /// A message with fields.
    init(_ fields: [(UInt64, String, Value)]) { self.fields = fields }

    /// Adds a field.
    mutating func add(_ number: UInt64, _ name: String, _ value: Value) {
        fields.append((number, name, value))
    }

    // MARK: Protocol buffers

    /// The message as protocol buffers.
    var protobuf: [UInt8] {
        var writer = ProtobufWriter()
        write(to: &writer)
        return writer.bytes
    }

    private func write(to writer: inout ProtobufWriter) {
        for (number, _, value) in fields {
            switch value {
            case .text(let text): writer.string(number, text)
            case .traceID(let high, let low): writer.id(number, high, low)
            case .spanID(let id): writer.id(number, id)
            case .flag(let flag): writer.unsigned(number, flag ? 1 : 0)
            case .number(let value): writer.unsigned(number, value)
            case .signed(let value): writer.signed(number, value)
            case .fixed32(let value): writer.fixed32(number, value)
            case .integer(let value): writer.unsigned(number, UInt64(bitPattern: value))
            case .fixed64(let value): writer.fixed64(number, value)
            case .double(let value): writer.double(number, value)
            case .message(let message): writer.message(number) { message.write(to: &$0) }
            case .messages(let messages):
                for message in messages { writer.message(number) { message.write(to: &$0) } }
            case .attributes(let attributes):
                for attribute in attributes { writer.message(number) { attribute.write(to: &$0) } }
            case .fixed64s(let values):
                writer.message(number) { for value in values { $0.fixed64(value) } }
            case .integers(let values): writer.message(number) { for value in values { $0.varint(value) } }
            case .doubles(let values):
                writer.message(number) { for value in values { $0.fixed64(value.bitPattern) } }
            }
        }
    }

    // MARK: JSON

    /// The message as JSON: IDs in hexadecimal, enums as numbers, integers of 64 bits as strings.
    var json: [UInt8] {
        var writer = JSONWriter()
        write(to: &writer)
        return (try? writer.finished()) ?? Array("{}".utf8)
    }

    private func write(to writer: inout JSONWriter) {
        writer.beginObject()
        for (_, name, value) in fields {
            writer.name(name)
            Self.write(value, to: &writer)
        }
        writer.endObject()
    }

    private static func write(_ value: Value, to writer: inout JSONWriter) {
        switch value {
        case .text(let text): writer.string(text)
        case .traceID(let high, let low): writer.string(high.hexadecimal + low.hexadecimal)
        case .spanID(let id): writer.string(id.hexadecimal)
        case .flag(let flag): writer.bool(flag)
        case .number(let value): writer.integer(value)
        case .signed(let value): writer.integer(value)
        case .fixed32(let value): writer.integer(value)
        case .integer(let value): writer.string("\(value)")
        case .fixed64(let value): writer.string("\(value)")
        case .double(let value): write(value, to: &writer)
        case .message(let message): message.write(to: &writer)
        case .messages(let messages): list(messages, &writer) { $0.write(to: &$1) }
        case .attributes(let attributes): list(attributes, &writer) { $0.write(to: &$1) }
        case .fixed64s(let values), .integers(let values): list(values, &writer) { $1.string("\($0)") }
        case .doubles(let values): list(values, &writer) { write($0, to: &$1) }
        }
    }

    /// JSON has no notation for numbers that are not finite; protocol buffers' JSON form has strings.
    fileprivate static func write(_ value: Double, to writer: inout JSONWriter) {
        if value.isFinite { return writer.double(value) }
        writer.string(value.isNaN ? "NaN" : value < 0 ? "-Infinity" : "Infinity")
    }

    private static func list<Element>(
        _ elements: [Element], _ writer: inout JSONWriter, _ write: (Element, inout JSONWriter) -> Void
    ) {
        writer.beginArray()
        for element in elements { write(element, &writer) }
        writer.endArray()
    }
}

extension FinishedSpan.Attribute {
    // KeyValue: key = 1, value = 2. AnyValue: string_value = 1, int_value = 3, double_value = 4.
    fileprivate func write(to writer: inout ProtobufWriter) {
        writer.string(1, key)
        writer.message(2) { writer in
            switch value {
            case .text(let text): writer.string(1, text)
            case .integer(let number): writer.unsigned(3, UInt64(bitPattern: Int64(number)))
            case .number(let number): writer.double(4, number)
            }
        }
    }

    fileprivate func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.name("key")
        writer.string(key)
        writer.name("value")
        writer.beginObject()
        switch value {
        case .text(let text):
            writer.name("stringValue")
            writer.string(text)
        case .integer(let number):
            writer.name("intValue")
            writer.string("\(number)")
        case .number(let number):
            writer.name("doubleValue")
            OTLPMessage.write(number, to: &writer)
        }
        writer.endObject()
        writer.endObject()
    }
}
