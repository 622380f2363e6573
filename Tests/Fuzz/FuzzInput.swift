/// What libFuzzer hands over.
struct FuzzInput {
    /// Nobody may print it, wherever it comes from.
    static let canary = "c4n4ry"

    let bytes: [UInt8]

    init(_ start: UnsafePointer<UInt8>?, _ count: Int) {
        bytes = Array(UnsafeBufferPointer(start: start, count: count))
    }

    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Ends the process where something shows what it must not.
    static func check(_ value: Any) {
        var text = "\(value)" + String(reflecting: value)
        dump(value, to: &text)
        precondition(!text.contains(canary), "a description gives a secret away")
    }
}
