@testable import OpenAPIGeneration

extension Node {
    /// How deep arrays and objects nest.
    var depth: Int {
        switch value {
        case .array(let items): 1 + (items.map(\.depth).max() ?? 0)
        case .object(let object): 1 + (object.members.map(\.value.depth).max() ?? 0)
        default: 0
        }
    }

    /// How many values it holds, itself included.
    var size: Int {
        switch value {
        case .array(let items): items.reduce(1) { $0 + $1.size }
        case .object(let object): object.members.reduce(1) { $0 + $1.value.size }
        default: 1
        }
    }
}

/// The same order each time.
struct FixedSource: RandomNumberGenerator {
    var state: UInt64 = 1

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state
    }
}

/// Ends the process where a finding is no line of text, or is nowhere in the document.
func checkPlace(_ finding: Diagnostic, in bytes: [UInt8]) {
    let text = DiagnosticPrinter(path: "f", usesColour: false).text(of: finding)
    precondition(text.utf8.count { $0 == 0x0A } == 1 + finding.notes.count)
    precondition(text.utf8.allSatisfy { $0 == 0x0A || $0 >= 0x20 })
    // A carriage return, U+0085 and their kin end a line of YAML, too.
    let lines = bytes.count { $0 == 0x0A || $0 == 0x0D || $0 >= 0x80 } + 2
    if let position = finding.position { precondition(position.line <= UInt32(lines)) }
}
