/// The values of a document in the order of their first bytes, each of a fixed size.
///
/// A container is followed by its content; the content of an object is key and value in turn.
struct JSONTape {
    enum Kind: UInt32 {
        case null, `true`, `false`, integer, number, string, escapedString, array, object
    }

    /// A value in 8 bytes: hostile documents have a value for every two bytes, and their tape must stay small.
    struct Entry {
        /// The largest length and count.
        static let maximumLength = 1 << 28 - 1

        /// Of a container, the index of the value after it; of other values, the offset of the first byte, without the
        /// quotation mark of a string.
        private var position: UInt32
        /// The kind in the upper 4 bits, the length or count in the lower ones.
        private var kindAndLength: UInt32

        /// - Parameter length: At most `maximumLength`.
        init(_ kind: Kind, position: Int, length: Int) {
            self.position = UInt32(truncatingIfNeeded: position)
            kindAndLength = kind.rawValue << 28 | UInt32(truncatingIfNeeded: length)
        }

        // Why: the synthesised `Kind(rawValue:)` is a call for each value that is read; this `switch` is compiled to a shift.
        @inline(__always)
        var kind: Kind {
            switch kindAndLength >> 28 {
            case Kind.null.rawValue: .null
            case Kind.true.rawValue: .true
            case Kind.false.rawValue: .false
            case Kind.integer.rawValue: .integer
            case Kind.number.rawValue: .number
            case Kind.string.rawValue: .string
            case Kind.escapedString.rawValue: .escapedString
            case Kind.array.rawValue: .array
            default: .object
            }
        }

        /// Arrays and objects are the last kinds.
        @inline(__always)
        var isContainer: Bool { kindAndLength >= Kind.array.rawValue << 28 }

        /// The bytes of a number or of a string's content; the number of values or members of a container.
        @inline(__always)
        var length: Int { Int(kindAndLength & (1 << 28 - 1)) }

        /// The first byte of a value that is not a container.
        @inline(__always)
        var offset: Int { Int(position) }

        /// The index of the value after this one.
        @inline(__always)
        func end(at index: Int) -> Int { isContainer ? Int(position) : index + 1 }

        /// Adds a value to a container.
        @inline(__always)
        mutating func addValue() { kindAndLength &+= 1 }

        /// Sets the index of the value after a container.
        mutating func close(at end: Int) { position = UInt32(truncatingIfNeeded: end) }
    }

    var entries: [Entry] = []

    /// The index of the value after the one at `index`.
    @inline(__always)
    func end(of index: Int) -> Int { entries[index].end(at: index) }
}
