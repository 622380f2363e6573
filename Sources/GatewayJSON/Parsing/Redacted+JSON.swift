/// A type that prints its name and nothing of the text that it reads or writes: a document may hold secrets.
///
/// Values that were read, such as ``JSONValue``, belong to the caller and are printed.
protocol RedactedJSON: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension RedactedJSON {
    /// The type's name.
    public var description: String { String(reflecting: Self.self) }
    /// The same as the description.
    public var debugDescription: String { description }
    /// Without children, so that nothing is reached by reflection.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension JSONDocument: RedactedJSON {}
extension JSONElement: RedactedJSON {}
extension JSONElements: RedactedJSON {}
extension JSONElements.Iterator: RedactedJSON {}
extension JSONObject: RedactedJSON {}
extension JSONTuple: RedactedJSON {}
extension JSONTupleWriter: RedactedJSON {}
extension JSONWriter: RedactedJSON {}
