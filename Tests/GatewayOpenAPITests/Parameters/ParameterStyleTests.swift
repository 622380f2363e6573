import FoundationEssentials
import GatewayCore
import GatewayJSON
import GatewayTesting
import Testing

@_spi(Generated) @testable import GatewayOpenAPI

private struct Color: JSONObjectEncodable {
    func write(fields w: inout JSONWriter) {
        w.int("R", 100)
        w.int("G", 200)
        w.string("B b", "1&5")
    }
}

private struct Form: JSONObjectEncodable {
    func write(fields w: inout JSONWriter) {
        w.string("a b", "x y+z~*é")
        w.required("list", [1, 2])
        w.bool("yes", true)
        w.nullable("no", String?.none)
        w.required("deep", ["k": "v"])
    }
}

/// The table "Style Examples" of OpenAPI 3.2, and the characters that need care.
@Suite struct ParameterStyleTests {
    private static let colors = ["blue", "black", "brown"]

    private func target(
        _ path: String = "/x", _ build: (inout RequestBuilder) -> Void
    ) throws -> String { try request(path, build).target }

    private func request(
        _ path: String = "/x", _ build: (inout RequestBuilder) -> Void
    ) throws -> HTTPRequest {
        let client = APIClient(
            server: "https://api.test", credentials: ConfiguredCredentials(), defaults: CallOptions(),
            engine: ScriptedEngine(.status(200)))
        var builder = RequestBuilder(
            client,
            OperationDescriptor(
                id: "op", method: "GET", path: path, accept: "*/*", security: nil, idempotencyKey: nil),
            CallOptions())
        build(&builder)
        return try builder.prepared().0
    }

    @Test func aTemplateMayHaveAQuery() throws {
        let path: String = "/a/{id}?beta=true"
        #expect(try target(path) { $0.path("id", "x?y") } == "/a/x%3Fy?beta=true")
        let both = try target(path) {
            $0.path("id", 1)
            $0.query("q", "a+b&c%")
        }
        #expect(both == "/a/1?beta=true&q=a%2Bb%26c%25")
    }

    /// A value without a notation in its format, as every kind of parameter and as JSON.
    private func isRefused<Value: ParameterValue & JSONEncodable>(_ value: Value) -> Bool {
        let builds: [(inout RequestBuilder) -> Void] = [
            { $0.path("id", value) }, { $0.pathStyled("id", value, .label) }, { $0.query("id", value) },
            { $0.queryReserved("id", value) }, { $0.queryArray("id", [value], .form) },
            { $0.queryJSON("id", value) }, { $0.queryValue("id", value, .form) }, { $0.header("id", value) },
            { $0.headerArray("id", [value]) }, { $0.cookie("id", value) },
            { $0.jsonBody(value, "application/json") },
        ]
        return builds.allSatisfy { build in (try? request("/x/{id}", build)) == nil }
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity])
    func numbersThatAreNotFiniteAreRefused(value: Double) {
        #expect(isRefused(value) && isRefused(Float(value)) && isRefused(JSONNumber(value)))
        #expect(!isRefused(1.5) && !isRefused(Float(1.5)) && !isRefused(Decimal(3)))
        #expect(isRefused(Decimal.nan) && isRefused(AsText(Decimal.nan)) && isRefused(AsText(value)))
        #expect(Double(parameterText: "\(value)") == nil && Float(parameterText: "\(value)") == nil)
    }

    @Test func datesAndDurationsOutOfRangeAreRefused() {
        for interval in [-1e11, 1e12, .infinity, .nan] {
            #expect(isRefused(Date(timeIntervalSinceReferenceDate: interval)))
        }
        #expect(!isRefused(Date(timeIntervalSinceReferenceDate: 0)))
        let negative = [
            CalendarDuration(years: -1), CalendarDuration(months: -1), CalendarDuration(weeks: -1),
            CalendarDuration(days: -1), CalendarDuration(hours: -1), CalendarDuration(minutes: -1),
            CalendarDuration(seconds: -0.5), CalendarDuration(seconds: .nan),
            CalendarDuration(days: 1, seconds: .infinity),
        ]
        for duration in negative { #expect(isRefused(duration)) }
        #expect(!isRefused(CalendarDuration(hours: 1)) && !isRefused(CalendarDuration()))
    }

    @Test func partsOfAFormAreRefusedToo() {
        var writer = MultipartWriter(boundary: "b")
        writer.text("a", 1.5)
        #expect(writer.failure == nil)
        writer.texts("b", [Double.nan])
        #expect(writer.failure != nil)
    }

    @Test(arguments: [".", ".."])
    func dotSegmentsAreRefusedBeforeAQueryToo(value: String) throws {
        let templates: [String] = ["/a/{id}", "/a/{id}?beta=true", "/a/{id}/z?beta=true", "/{id}?x"]
        for path in templates {
            #expect(throws: NetworkError.self) { try target(path) { $0.path("id", value) } }
        }
        #expect(try target("/a?b=/{id}/c") { $0.path("id", value) } == "/a?b=/\(value)/c")
    }

    @Test func pathStyles() throws {
        let path: String = "/a/{color}/z"
        #expect(try target(path) { $0.path("color", "blue") } == "/a/blue/z")
        #expect(try target(path) { $0.pathArray("color", Self.colors, .simple) } == "/a/blue,black,brown/z")
        #expect(try target(path) { $0.pathStyled("color", "blue", .label) } == "/a/.blue/z")
        #expect(throws: NetworkError.self) { try target(path) { $0.pathStyled("color", "", .label) } }
        #expect(try target(path) { $0.pathArray("color", Self.colors, .label) } == "/a/.blue,black,brown/z")
        #expect(
            try target(path) { $0.pathArray("color", Self.colors, .labelExploded) }
                == "/a/.blue.black.brown/z")
        #expect(try target(path) { $0.pathStyled("color", "blue", .matrix) } == "/a/;color=blue/z")
        #expect(try target(path) { $0.pathStyled("color", "", .matrix) } == "/a/;color/z")
        #expect(
            try target(path) { $0.pathArray("color", Self.colors, .matrix) } == "/a/;color=blue,black,brown/z"
        )
        #expect(
            try target(path) { $0.pathArray("color", Self.colors, .matrixExploded) }
                == "/a/;color=blue;color=black;color=brown/z")
        #expect(try target(path) { $0.pathJSON("color", ["a"]) } == "/a/%5B%22a%22%5D/z")
    }

    @Test func severalPathParametersInOneSegment() throws {
        #expect(
            try target("/{a}.{b}/{c}") {
                $0.path("a", 1)
                $0.path("b", true)
                $0.path("c", 1.5)
            } == "/1.true/1.5")
    }

    @Test(arguments: [
        ("-._~aZ9", "-._~aZ9"), ("a b", "a%20b"), ("a+b", "a%2Bb"), ("a/b?c#d", "a%2Fb%3Fc%23d"),
        ("100%", "100%25"), ("%41", "%2541"), ("é😀", "%C3%A9%F0%9F%98%80"), (",;=&", "%2C%3B%3D%26"),
        ("\n\u{0}", "%0A%00"), ("..a", "..a"),
    ]) func primitivesAreEncoded(text: String, encoded: String) throws {
        #expect(try target("/{p}") { $0.path("p", text) } == "/" + encoded)
        #expect(try target { $0.query("q", text) } == "/x?q=" + encoded)
        #expect(try target { $0.queryArray("q", [text, text], .form) } == "/x?q=\(encoded),\(encoded)")
    }

    @Test(arguments: [
        ("/a?b=c&d:e@f,g;h!i$j'(k)*l+m", "/a?b=c&d:e@f,g;h!i$j'(k)*l+m"), ("%41%4g%", "%41%254g%25"),
        ("#[]", "%23%5B%5D"), ("a b\"<>\\^`{|}é", "a%20b%22%3C%3E%5C%5E%60%7B%7C%7D%C3%A9"),
    ]) func reservedCharactersMayStay(text: String, encoded: String) throws {
        #expect(try target { $0.queryReserved("q", text) } == "/x?q=" + encoded)
    }

    /// What ends a segment is encoded in any case (OpenAPI 3.2, Path Templating).
    @Test(arguments: [
        ("d:e@f,g;h!i$j'(k)*l+m=n&o~", "d:e@f,g;h!i$j'(k)*l+m=n&o~"), ("a/b?c#d[e]", "a%2Fb%3Fc%23d%5Be%5D"),
        ("%41%2f%4g%", "%41%2f%254g%25"), ("é ..", "%C3%A9%20.."),
    ]) func reservedCharactersMayStayInAPath(text: String, encoded: String) throws {
        #expect(try target("/x/{id}") { $0.pathReserved("id", text) } == "/x/" + encoded)
        #expect(
            try target("/x/{id}") { $0.pathArray("id", [text, "z"], .simple, isReserved: true) }
                == "/x/" + encoded + ",z")
        #expect(
            try target("/x/{id}") { $0.pathStyled("id", text, .label, isReserved: true) } == "/x/." + encoded)
        #expect(
            try target("/x/{id}") { $0.pathValue("id", ["k": text], .matrix, isReserved: true) }
                == "/x/;id=k," + encoded)
    }

    @Test(arguments: ["", ".", "..", "%2e", "%2E.", ".%2e", "%2e%2E"])
    func aReservedPathParameterMustNotChangeTheResource(text: String) {
        #expect(throws: NetworkError.self) { try target("/x/{id}/y") { $0.pathReserved("id", text) } }
    }

    @Test func reservedCharactersMayStayInACookie() throws {
        let request = try request {
            $0.cookieReserved("a", "b/c?d#e=f,g;h %41")
            $0.cookieReserved("n", String?.none)
            $0.cookieValue("l", ["i/j", "k;l"], .form, isReserved: true)
        }
        #expect(request.fields[.cookie] == "a=b/c?d#e=f%2Cg%3Bh%20%41; l=i/j,k%3Bl")
    }

    @Test func queryStyles() throws {
        #expect(try target { $0.query("color", "") } == "/x?color=")
        #expect(try target { $0.query("color", String?.none) } == "/x")
        #expect(
            try target { $0.queryArray("color", Self.colors, .formExploded) }
                == "/x?color=blue&color=black&color=brown")
        #expect(try target { $0.queryArray("color", Self.colors, .form) } == "/x?color=blue,black,brown")
        #expect(
            try target { $0.queryArray("color", Self.colors, .spaceDelimited) }
                == "/x?color=blue%20black%20brown")
        #expect(
            try target { $0.queryArray("color", Self.colors, .pipeDelimited) }
                == "/x?color=blue%7Cblack%7Cbrown")
        #expect(
            try target { $0.queryValue("color", Color(), .formExploded) } == "/x?R=100&G=200&B%20b=1%265")
        #expect(
            try target { $0.queryValue("color", Color(), .form) } == "/x?color=R,100,G,200,B%20b,1%265")
        #expect(
            try target { $0.queryValue("color", Color(), .deepObject) }
                == "/x?color%5BR%5D=100&color%5BG%5D=200&color%5BB%20b%5D=1%265")
        #expect(try target { $0.queryJSON("f", ["a": 1]) } == "/x?f=%7B%22a%22%3A1%7D")
        #expect(try target { $0.query("a[b]", 1) } == "/x?a%5Bb%5D=1")
    }

    @Test func nothingAndNoElementAndAnEmptyElementDiffer() throws {
        #expect(try target { $0.queryArray("q", [String]?.none, .formExploded) } == "/x")
        #expect(try target { $0.queryArray("q", [String](), .formExploded) } == "/x")
        #expect(try target { $0.queryArray("q", [""], .formExploded) } == "/x?q=")
        #expect(try target { $0.queryArray("q", ["", ""], .form) } == "/x?q=,")
    }

    @Test func headersAndCookies() throws {
        let request = try request {
            $0.header("X-Id", 7)
            $0.header("X-None", Int?.none)
            $0.header("X-Empty", "")
            $0.headerArray("X-Colors", Self.colors)
            $0.headerJSON("X-Json", ["a": 1])
            $0.cookie("a", "x y")
            $0.cookie("b", true)
            $0.cookie("c", String?.none)
        }
        #expect(request.fields["X-Id"] == "7")
        #expect(request.fields["X-None"] == nil)
        #expect(request.fields["X-Empty"] == "")
        #expect(request.fields["X-Colors"] == "blue,black,brown")
        #expect(request.fields["X-Json"] == #"{"a":1}"#)
        #expect(request.fields[.cookie] == "a=x%20y; b=true")
    }

    @Test func formBodies() throws {
        let request = try request { $0.formBody(Form()) }
        #expect(
            request.bodyText
                == "a+b=x+y%2Bz%7E*%C3%A9&list=1&list=2&yes=true&deep=%7B%22k%22%3A%22v%22%7D")
        #expect(request.fields[.contentType] == "application/x-www-form-urlencoded")
    }

    @Test func absentBodiesSendNothing() throws {
        let request = try request {
            $0.jsonBody(String?.none, "application/json")
            $0.textBody(nil, "text/plain")
        }
        #expect(request.body.isEmpty)
        #expect(request.fields[.contentType] == nil)
    }

    @Test func aRequiredBodyCanBeNull() throws {
        let null = try request { $0.nullableJSONBody(String?.none, "application/json") }
        #expect(null.bodyText == "null")
        #expect(null.fields[.contentType] == "application/json")
        let text = try request { $0.nullableJSONBody("a", "application/json") }
        #expect(text.bodyText == "\"a\"")
    }

    @Test func whatJSONCannotSayIsALocalError() {
        #expect(throws: NetworkError.self) { try request { $0.jsonBody(Double.nan, "application/json") } }
        #expect(throws: NetworkError.self) { try request { $0.queryValue("q", [Double.nan], .form) } }
    }
}
