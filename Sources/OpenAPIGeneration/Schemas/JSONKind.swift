/// The JSON types that a parser distinguishes.
enum JSONKind: String, CaseIterable {
    case string, number, bool, array, object
}
