/// The annotations of a schema.
struct Annotations {
    var title: String?
    var text: String?
    var isDeprecated = false
    var isReadOnly = false
    var isWriteOnly = false
    var defaultValue: Node?
    /// The only valid value.
    var constant: Node?
    var minimum: String?
    var maximum: String?
}

extension Annotations {
    init(_ raw: RawSchema) {
        self.init(
            title: raw.title, text: raw.text, isDeprecated: raw.isDeprecated, isReadOnly: raw.isReadOnly,
            isWriteOnly: raw.isWriteOnly,
            defaultValue: raw.defaultValue.map { $0.conformed(to: raw.types) ?? $0 },
            minimum: raw.number(.minimum), maximum: raw.number(.maximum))
    }

    /// Fills in missing annotations from `other`.
    mutating func fill(from other: Annotations) {
        title = title ?? other.title
        text = text ?? other.text
        isDeprecated = isDeprecated || other.isDeprecated
        isReadOnly = isReadOnly || other.isReadOnly
        isWriteOnly = isWriteOnly || other.isWriteOnly
        defaultValue = defaultValue ?? other.defaultValue
        constant = constant ?? other.constant
        minimum = minimum ?? other.minimum
        maximum = maximum ?? other.maximum
    }
}
