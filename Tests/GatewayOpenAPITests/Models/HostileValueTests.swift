import CAllocationCounter
import Foundation
import GatewayCore
import GatewayJSON
import GatewayTesting
import Testing

@_spi(Generated) @testable import GatewayOpenAPI

/// Responses of about 200 kB that are made to cost as much as possible: decoding one takes at most 50 times the processor time
/// that ordinary JSON of that size takes, and a generated call at most 16 times its size in memory.
@Suite struct HostileValueTests {
    private static let size = 200_000

    /// An array of as many elements as there is room for.
    private static func array(_ element: String) -> String {
        "[" + Array(repeating: element, count: size / (element.utf8.count + 1)).joined(separator: ",") + "]"
    }

    private static let ordinary =
        #"{"tagged":"# + array(#"{"kind":"named","name":"a name of some length"}"#) + "}"

    enum Shape: String, CaseIterable {
        case wrongTags, wrongTagsInTable, missing, guesses, guessedArrays, guessedList, unionsOfUnions
        case deepArrays
        case deepObjects, collidingNames, escapes, numbers, longNumber, empties, nulls
    }

    private static func text(_ shape: Shape) -> String {
        switch shape {
        case .wrongTags: #"{"tagged":"# + array(#"{"kind":1}"#) + "}"
        case .wrongTagsInTable:
            #"{"table":{"# + (0..<size / 20).map { "\"\($0)\":{\"kind\":1}" }.joined(separator: ",") + "}}"
        case .missing: #"{"tagged":"# + array(#"{"name":"a"}"#) + "}"
        case .guesses: #"{"guessed":"# + array(#"{"a":"x","b":1}"#) + "}"
        case .guessedArrays: #"{"guessed":"# + array(#"["x"]"#) + "}"
        case .guessedList: #"{"guessed":["# + array(#""x""#) + "]}"
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

    /// Decodes a response as a generated call does.
    ///
    /// - Returns: The value, and the processor time of this thread.
    private static func decoded(_ text: String) throws -> (value: Thicket.Thicket_?, cost: Duration) {
        let response = DocumentedResponse(
            HTTPResponse(
                status: 200, fields: ["Content-Type": "application/json"], body: .bytes(Array(text.utf8)),
                exchange: Exchange(origin: try Origin("https://thicket.example"))))
        let start = threadTime
        let value = try? response.json(Thicket.Thicket_.self)
        return (value, threadTime - start)
    }

    private static var threadTime: Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    private static let ordinaryCost: Duration? = {
        guard let (value, cost) = try? decoded(ordinary), value != nil else { return nil }
        return cost
    }()

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

    @Test(arguments: Shape.allCases) func noShapeCostsMuch(shape: Shape) throws {
        let ordinary = try #require(Self.ordinaryCost)
        let (value, cost) = try Self.decoded(Self.text(shape))
        #expect(cost < ordinary * 50)
        #expect((value == nil) == (shape == .unionsOfUnions))
    }
}
