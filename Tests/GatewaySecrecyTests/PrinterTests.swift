import Testing

/// The search finds what leaks, in whatever way it does.
@Suite struct PrinterTests {
    private struct Plain { let text = Marker.text }
    private struct Bytes { let bytes = Marker.bytes }
    private struct Slice { let bytes = Marker.bytes[...] }
    private struct Encoded { let text = "TUFSS0VSI2h1bnRlcjI=" }
    private struct Percent { let text = "MARKER%23hunter2" }
    private struct Nested { let values: [String: [Plain?]] = ["a": [Plain()]] }
    private class Base { let text = Marker.text }
    private final class Derived: Base {}
    private final class Cycle {
        var other: Cycle?
        let text = Marker.text
    }
    private actor Isolated { let text = Marker.text }
    private enum Loaded: Error { case loaded(text: String) }
    private struct Key { let values = [Marker.text: 1] }
    private struct Described: CustomStringConvertible { let description = Marker.text }
    private struct Debugged: CustomDebugStringConvertible { let debugDescription = Marker.text }
    private struct Labelled: CustomReflectable {
        var customMirror: Mirror { Mirror(self, children: [Marker.text: 1]) }
    }
    /// Clean but for its mirror.
    private struct Mirrored: CustomStringConvertible, CustomDebugStringConvertible {
        let text = Marker.text
        let description = "clean"
        let debugDescription = "clean"
    }
    private struct Clean { let text = "clean", number = 1, bytes: [UInt8] = [1, 2, 3] }

    @Test func aPlantedLeakIsFound() {
        let cycle = Cycle()
        cycle.other = cycle
        defer { cycle.other = nil }
        let leaks: [Any] = [
            Plain(), Bytes(), Slice(), Encoded(), Percent(), Nested(), Derived(), cycle, Isolated(),
            Loaded.loaded(text: Marker.text), Key(), Described(), Debugged(), Labelled(), Mirrored(), Leaky(),
            LeakyError(), { [text = Marker.text] in [text] }(),
        ]
        for leak in leaks {
            #expect(!Marker.found(in: Printer.allTexts(of: leak)).isEmpty, "\(type(of: leak)) was not found")
        }
    }

    @Test func whatIsCleanPasses() { #expect(Marker.found(in: Printer.allTexts(of: Clean())).isEmpty) }

    @Test(arguments: 0..<3) func base64IsFoundAtEveryPosition(shift: Int) {
        let bytes = Array(repeating: UInt8(ascii: "x"), count: shift) + Marker.bytes + [1, 2, 3]
        #expect(!Marker.found(in: base64(bytes)).isEmpty)
    }

    private struct Texts {
        let text = "", number = 1, constant: StaticString = "", missing: String? = nil
        let list: [String] = [], bytes: [UInt8] = [], map: [Int: [String]] = [:]
        let inner: [Inner?] = [Inner()]
    }
    private struct Inner { let text: Substring = "" }

    @Test func propertiesThatCanHoldTextAreFound() {
        let texts = Printer.texts(of: Texts()).map {
            $0.split(separator: ".").suffix(2).joined(separator: ".")
        }
        #expect(
            Set(texts)
                == ["Texts.text", "Texts.missing", "Texts.list", "Texts.bytes", "Texts.map", "Inner.text"])
    }
}
