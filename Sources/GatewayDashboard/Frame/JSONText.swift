import GatewayCore
import GatewayJSON

/// JSON in parts, so that parts of limited size can be chosen after they are written.
enum JSONText {
    /// An object.
    static func object(_ write: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        write(&writer)
        writer.endObject()
        return (try? writer.finished()) ?? Array("{}".utf8)
    }

    /// Members without the braces around them.
    static func members(_ write: (inout JSONWriter) -> Void) -> [UInt8] {
        Array(object(write).dropFirst().dropLast())
    }

    /// A member that is an array of values that are written already.
    static func array(_ name: StaticString, _ values: [[UInt8]]) -> [UInt8] {
        var bytes = Array("\"\(name)\":[".utf8)
        bytes.append(contentsOf: values.joined(separator: [UInt8(ascii: ",")]))
        bytes.append(UInt8(ascii: "]"))
        return bytes
    }
}

extension JSONWriter {
    /// The maximum number of bytes of names and labels.
    static let nameLimit = 120
    /// The maximum number of bytes of sentences.
    static let textLimit = 300

    /// A member with a name or a label, cut to its limit; left out if there is none.
    mutating func text(_ key: String, _ value: String?, limit: Int = JSONWriter.nameLimit) {
        guard let value else { return }
        name(key)
        string(value.cut(to: limit))
    }

    /// A member; left out if there is none.
    mutating func count(_ key: String, _ value: Int?) {
        guard let value else { return }
        name(key)
        integer(value)
    }

    mutating func flag(_ key: String, _ value: Bool) {
        name(key)
        bool(value)
    }

    /// A member in milliseconds; left out if there is none.
    mutating func milliseconds(_ key: String, _ nanoseconds: UInt64?) {
        guard let nanoseconds else { return }
        name(key)
        milliseconds(nanoseconds)
    }

    /// A member in milliseconds; left out if there is none.
    mutating func milliseconds(_ key: String, _ duration: Duration?) {
        guard let duration else { return }
        name(key)
        number(duration.milliseconds)
    }

    /// A value in milliseconds.
    mutating func milliseconds(_ nanoseconds: UInt64) {
        number(Double(nanoseconds).nanosecondsAsMilliseconds)
    }

    /// A value in milliseconds; `null` if there is none.
    mutating func nullableMilliseconds(_ duration: Duration?) {
        if let duration { number(duration.milliseconds) } else { null() }
    }

    /// A number; without decimals if it is whole.
    mutating func number(_ value: Double) {
        if let whole = Int(exactly: value) { integer(whole) } else { double(value) }
    }

    mutating func object(_ key: String, _ write: (inout JSONWriter) -> Void) {
        name(key)
        beginObject()
        write(&self)
        endObject()
    }

    /// A member that is an array of objects.
    mutating func objects<Elements: Sequence>(
        _ key: String, _ elements: Elements, _ write: (inout JSONWriter, Elements.Element) -> Void
    ) {
        name(key)
        beginArray()
        for element in elements {
            beginObject()
            write(&self, element)
            endObject()
        }
        endArray()
    }

    /// A member that is an array of the first objects, and if there are more, one with the number of the others.
    mutating func objects<Elements: Collection>(
        _ key: String, _ elements: Elements, limit: Int,
        _ write: (inout JSONWriter, Elements.Element) -> Void
    ) {
        objects(key, elements.prefix(limit), write)
        if elements.count > limit { count(key + "_omitted", elements.count - limit) }
    }

    /// What something is about.
    mutating func about(_ subject: Subject?) {
        guard let subject else { return }
        object("about") { writer in
            writer.text("kind", subject.kind.rawValue)
            writer.text("name", subject.name)
        }
    }
}
