/// The Swift types of schemas.
struct SchemaTypes {
    let names: TypeNames
    let declarations: [JSONPointer: Declaration]

    /// The type without the optionality of the schema itself.
    func plain(_ schema: Schema) -> SwiftType {
        switch schema.shape {
        case .any: return .json
        case .boolean: return "Bool"
        case .string(let format): return format.traits.type
        case .integer(let format): return format == .unsigned64 ? "UInt64" : "Int"
        case .number(let format):
            switch format {
            case .float: return "Float"
            case .double: return "Double"
            case .decimal: return "Decimal"
            case .exact: return "JSONNumber"
            }
        case .array(let item): return .array(full(item))
        case .map(let value): return .dictionary(full(value))
        case .declared(let pointer):
            if case .opaque? = declarations[pointer]?.kind { return .json }
            return names[pointer].map { .declared($0.path) } ?? .json
        case .own(let type, _): return type.swift
        }
    }

    /// The type, optional if it is nullable. `JSONValue` includes null.
    func full(_ schema: Schema) -> SwiftType {
        let plain = plain(schema)
        return schema.isNullable && plain != .json ? .optional(plain) : plain
    }
}
