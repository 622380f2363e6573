/// The values of a document in the order of their first bytes, each of a fixed size.
///
/// A container is followed by its content, an object's by key and value in turn; `next` leads past it.
struct JSONTape {
    enum Kind: UInt8 {
        case null, `true`, `false`, integer, number, string, escapedString, array, object
    }

    /// 16 bytes a value, whatever it is.
    struct Entry {
        let kind: Kind
        /// The first byte; of a string, the one after the quotation mark.
        let offset: UInt32
        /// The bytes of a number or of a string's content; of a container, the count of its values or members.
        var length: UInt32
        /// The index of what follows this value.
        var next: UInt32
    }

    var entries: [Entry] = []
}
