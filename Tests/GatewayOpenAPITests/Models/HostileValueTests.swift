import CAllocationCounter
import GatewayCore
import GatewayJSON
import GatewayTesting
import Testing

@testable import GatewayOpenAPI

/// Responses of about 1 MB that are made to cost as much as possible, through a generated call: at most 50 times the time
/// that ordinary JSON of that size takes, and 16 times its size in memory.
@Suite struct HostileValueTests {
    private static let size = 1_000_000

    /// An array of as many elements as there is room for.
    private static func array(_ element: String) -> String {
        "[" + Array(repeating: element, count: size / (element.utf8.count + 1)).joined(separator: ",") + "]"
    }

    private static let ordinary =
        #"{"tagged":"# + array(#"{"kind":"named","name":"a name of some length"}"#) + "}"

    enum Shape: String, CaseIterable {
        case wrongTags, wrongTagsInTable, missing, guesses, guessedArrays, unionsOfUnions, deepArrays
        case deepObjects, collidingNames, escapes, numbers, longNumber, empties, nulls
    }

    private static func text(_ shape: Shape) -> String {
        switch shape {
        case .wrongTags: #"{"tagged":"# + array(#"{"kind":1}"#) + "}"
        case .wrongTagsInTable:
            #"{"table":{"# + (0..<50_000).map { "\"\($0)\":{\"kind\":1}" }.joined(separator: ",") + "}}"
        case .missing: #"{"tagged":"# + array(#"{"name":"a"}"#) + "}"
        case .guesses: #"{"guessed":"# + array(#"{"a":"x","b":1}"#) + "}"
        case .guessedArrays: #"{"guessed":"# + array(#"["x"]"#) + "}"
        case .unionsOfUnions:
            // Each level is tried as either branch, which both fail behind their tree.
            #"{"tree":"# + String(repeating: #"[{"tree":"#, count: 60)
                + "\"\(String(repeating: "x", count: size))\""
                + String(repeating: #","mark":"x"}]"#, count: 60) + "}"
        case .deepArrays:
            #"{"anything":"#
                + array(String(repeating: "[", count: 200) + String(repeating: "]", count: 200)) + "}"
        case .deepObjects:
            #"{"anything":"#
                + array(String(repeating: #"{"a":"#, count: 200) + "1" + String(repeating: "}", count: 200))
                + "}"
        case .collidingNames:
            // The FNV-1a hash of the first name is 0, and stays 0 with any number of zeros after it.
            #"{"anything":{"#
                + (0..<550).map { "\"77kepQFQ8Kl" + String(repeating: "\\u0000", count: $0) + "\":1" }
                .joined(separator: ",") + "}}"
        case .escapes: #"{"texts":["# + "\"" + String(repeating: #"\u00e9"#, count: size / 6) + "\"]}"
        case .numbers: #"{"numbers":"# + array("1e308") + "}"
        case .longNumber: #"{"numbers":["# + String(repeating: "7", count: size) + "e-999999]}"
        case .empties: #"{"empties":"# + array("{}") + "}"
        case .nulls: #"{"anything":"# + array("null") + "}"
        }
    }

    private func call(_ text: String) async -> (code: NetworkError.Code?, cost: Duration) {
        let client = ThicketClient(engine: ScriptedEngine(.json(200, text)))
        let start = ContinuousClock.now
        var code: NetworkError.Code?
        do {
            _ = try await client.getThicket()
        } catch {
            code = error.code
        }
        return (code, start.duration(to: .now))
    }

    /// A body takes at most 16 times its size in memory: while it is decoded, and as a value.
    @Test(.enabled(if: allocation_counter_works() != 0), arguments: Shape.allCases)
    func noShapeTakesMuchMemory(shape: Shape) async throws {
        let text = Self.text(shape)
        let client = ThicketClient(engine: ScriptedEngine(.json(200, text)))
        // What is allocated once, such as metadata of types, is not counted.
        let first = ThicketClient(engine: ScriptedEngine(.json(200, #"{"tagged":[{"kind":"x"}]}"#)))
        _ = try await first.getThicket()
        allocation_counter_start()
        let value = try? await client.getThicket()
        let (peak, live) = (allocation_peak_bytes(), allocation_live_bytes())
        _ = allocation_counter_stop()
        #expect(peak <= 16 * text.utf8.count)
        #expect(live <= 16 * text.utf8.count)
        withExtendedLifetime(value) {}
    }

    @Test(arguments: Shape.allCases) func noShapeCostsMuch(shape: Shape) async {
        let text = Self.text(shape)
        let ordinary = await call(Self.ordinary)
        #expect(ordinary.code == nil)
        let (code, cost) = await call(text)
        #expect(cost < ordinary.cost * 50)
        let isRefused = shape == .unionsOfUnions
        #expect(code == (isRefused ? .decodingFailed : nil))
    }
}
