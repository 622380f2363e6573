internal import CLibyaml

/// An event of libyaml, copied into Swift values. The original is freed immediately.
struct YAMLEvent {
    enum Kind {
        case streamStart, streamEnd, documentStart, documentEnd
        case sequenceStart, sequenceEnd, mappingStart, mappingEnd
        case alias(String)
        case scalar(String, isPlain: Bool)
    }

    let kind: Kind
    let position: SourcePosition
    let anchor: String?
    let tag: String?

    init(_ event: yaml_event_t, file: UInt32) {
        position = SourcePosition(unsafe event.start_mark, file: file)
        var anchor: String?
        var tag: String?
        switch unsafe event.type {
        case YAML_STREAM_END_EVENT: kind = .streamEnd
        case YAML_DOCUMENT_START_EVENT: kind = .documentStart
        case YAML_DOCUMENT_END_EVENT: kind = .documentEnd
        case YAML_ALIAS_EVENT:
            kind = .alias(unsafe Self.text(event.data.alias.anchor) ?? "")
        case YAML_SCALAR_EVENT:
            let scalar = unsafe event.data.scalar
            anchor = unsafe Self.text(scalar.anchor)
            tag = unsafe Self.text(scalar.tag)
            let bytes = unsafe UnsafeBufferPointer(start: scalar.value, count: scalar.length)
            kind = .scalar(
                unsafe String(decoding: bytes, as: UTF8.self),
                isPlain: unsafe scalar.style == YAML_PLAIN_SCALAR_STYLE)
        case YAML_SEQUENCE_START_EVENT:
            anchor = unsafe Self.text(event.data.sequence_start.anchor)
            tag = unsafe Self.text(event.data.sequence_start.tag)
            kind = .sequenceStart
        case YAML_SEQUENCE_END_EVENT: kind = .sequenceEnd
        case YAML_MAPPING_START_EVENT:
            anchor = unsafe Self.text(event.data.mapping_start.anchor)
            tag = unsafe Self.text(event.data.mapping_start.tag)
            kind = .mappingStart
        case YAML_MAPPING_END_EVENT: kind = .mappingEnd
        default: kind = .streamStart
        }
        self.anchor = anchor
        self.tag = tag
    }

    private static func text(_ pointer: UnsafeMutablePointer<yaml_char_t>?) -> String? {
        guard let pointer = unsafe pointer else { return nil }
        return unsafe String(cString: pointer)
    }
}

extension SourcePosition {
    /// libyaml positions start at 0.
    init(_ mark: yaml_mark_t, file: UInt32) {
        self.init(line: Int(mark.line) + 1, column: Int(mark.column) + 1, file: file)
    }
}
