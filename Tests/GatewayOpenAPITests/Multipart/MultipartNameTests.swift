import GatewayCore
@_spi(Generated) import GatewayJSON
import GatewayTesting
import Testing

@_spi(Generated) @testable import GatewayOpenAPI

/// The names of parts that the caller chooses.
@Suite struct MultipartNameTests {
    private static let composed = "caf\u{E9}"
    private static let decomposed = "cafe\u{301}"

    private struct Upload: MultipartBody {
        var numbers: [String: Int] = [:]
        var others: [String: String] = [:]
        static let patterns = NamePatterns("^n")

        func write(parts p: inout MultipartWriter) {
            p.text("known", "k")
            for (name, value) in p.matching(numbers, ["known"], Self.patterns, 0) { p.text(name, value) }
            for (name, value) in p.unmatched(others, ["known"], Self.patterns) { p.text(name, value) }
        }
    }

    private func failure(_ upload: Upload) -> String? {
        var writer = MultipartWriter(boundary: "B")
        upload.write(parts: &writer)
        return writer.failure
    }

    @Test func aPartHasTheNameOfItsProperty() {
        #expect(failure(Upload(numbers: ["n1": 1], others: ["a": "b"])) == nil)
        let reason = "the name of a part does not match the pattern of its property"
        #expect(failure(Upload(numbers: ["x": 1])) == reason)
        // It would be read as a number, and the form could have it twice.
        #expect(failure(Upload(numbers: ["n1": 1], others: ["n1": "b"])) == reason)
        #expect(failure(Upload(others: ["known": "b"])) == "an additional part has the name of another one")
    }

    private struct Twins: MultipartBody {
        var others: [String: String] = [:]
        func write(parts p: inout MultipartWriter) {
            p.text(MultipartNameTests.composed, "1")
            p.text(MultipartNameTests.decomposed, "2")
            p.value("any", JSONValue.string("x"))
            p.value("null", JSONValue.null)
            p.values("list", [1, 2] as [JSONValue])
            p.fileOr("either", MultipartFileOr<JSONValue>.value(3))
            for (name, value) in p.additional(others, [MultipartNameTests.composed]) { p.text(name, value) }
        }
    }

    @Test func namesAreComparedByCodePoints() {
        var writer = MultipartWriter(boundary: "B")
        Twins(others: [Self.decomposed: "3"]).write(parts: &writer)
        #expect(writer.failure == nil)
        var checked = MultipartWriter(boundary: "")
        checked.members = [:]
        Twins().write(parts: &checked)
        #expect(
            checked.members == [
                "caf\u{E9}": "1", "cafe\u{301}": "2", "any": "x", "list": [1, 2], "either": 3,
            ])
    }
}
