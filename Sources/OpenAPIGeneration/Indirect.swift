/// Stores a value behind one reference. Why: a structure with many members is copied member by member, and the compiler
/// writes that code for each structure that contains it.
@propertyWrapper
indirect enum Indirect<Value> {
    case value(Value)

    init(wrappedValue: Value) { self = .value(wrappedValue) }

    var wrappedValue: Value {
        get {
            switch self {
            case .value(let value): value
            }
        }
        set { self = .value(newValue) }
    }
}
