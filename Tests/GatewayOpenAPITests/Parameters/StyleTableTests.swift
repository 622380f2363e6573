import GatewayCore
import GatewayJSON
import GatewayTesting
import Testing

@_spi(Generated) @testable import GatewayOpenAPI

/// The table "Style Examples" of OpenAPI 3.2, cell by cell, for values of any form.
@Suite struct StyleTableTests {
    private static let empty: JSONValue = ""
    private static let string: JSONValue = "blue"
    private static let array: JSONValue = ["blue", "black", "brown"]

    /// Members in an order, which a `JSONValue` has not.
    private struct Color: JSONObjectEncodable {
        func write(fields w: inout JSONWriter) {
            w.int("R", 100)
            w.int("G", 200)
            w.int("B", 150)
        }
    }

    private func pieces(
        _ value: some JSONEncodable, _ style: ParameterStyle,
        _ allowed: PercentEncoding.Allowed? = .unreserved
    ) throws -> [String] {
        try ParameterSerializer(name: "color", style: style, allowed: allowed)
            .pieces(JSONDocument(value.jsonBytes()).root)
    }

    @Test(
        arguments: [
            (
                ParameterStyle.matrix, ";color", ";color=blue", ";color=blue,black,brown",
                ";color=R,100,G,200,B,150"
            ),
            (
                .matrixExploded, ";color", ";color=blue", ";color=blue;color=black;color=brown",
                ";R=100;G=200;B=150"
            ),
            (.label, ".", ".blue", ".blue,black,brown", ".R,100,G,200,B,150"),
            (.labelExploded, ".", ".blue", ".blue.black.brown", ".R=100.G=200.B=150"),
            (.simple, "", "blue", "blue,black,brown", "R,100,G,200,B,150"),
            (.simpleExploded, "", "blue", "blue,black,brown", "R=100,G=200,B=150"),
            (.form, "color=", "color=blue", "color=blue,black,brown", "color=R,100,G,200,B,150"),
            (
                .formExploded, "color=", "color=blue", "color=blue&color=black&color=brown",
                "R=100&G=200&B=150"
            ),
            (
                .spaceDelimited, "color=", "color=blue", "color=blue%20black%20brown",
                "color=R%20100%20G%20200%20B%20150"
            ),
            (
                .pipeDelimited, "color=", "color=blue", "color=blue%7Cblack%7Cbrown",
                "color=R%7C100%7CG%7C200%7CB%7C150"
            ),
            (
                .deepObject, "color=", "color=blue",
                "color%5B0%5D=blue&color%5B1%5D=black&color%5B2%5D=brown",
                "color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150"
            ),
            (.cookie, "color=", "color=blue", "color=blue,black,brown", "color=R,100,G,200,B,150"),
            (
                .cookieExploded, "color=", "color=blue", "color=blue&color=black&color=brown",
                "R=100&G=200&B=150"
            ),
        ] as [(ParameterStyle, String, String, String, String)])
    func cells(style: ParameterStyle, empty: String, string: String, array: String, object: String) throws {
        #expect(try pieces(Self.empty, style).joined(separator: "&") == empty)
        #expect(try pieces(Self.string, style).joined(separator: "&") == string)
        #expect(try pieces(Self.array, style).joined(separator: "&") == array)
        #expect(try pieces(Color(), style).joined(separator: "&") == object)
        #expect(try pieces(JSONValue.null, style).isEmpty)
        #expect(try pieces(JSONValue.array([]), style).isEmpty)
        #expect(try pieces(JSONValue.object([:]), style).isEmpty)
    }

    @Test func deepObjectsGoToAnyDepth() throws {
        let value: JSONValue = ["a": ["b": [["c": 1], "x y"]], "n": nil]
        #expect(
            try pieces(value, .deepObject)
                == ["color%5Ba%5D%5Bb%5D%5B0%5D%5Bc%5D=1", "color%5Ba%5D%5Bb%5D%5B1%5D=x%20y"])
    }

    @Test func whatNoStyleHasAFormForIsJSON() throws {
        #expect(try pieces([["a": 1]], .form) == ["color=%7B%22a%22%3A1%7D"])
    }

    @Test func placesOfAnyValue() throws {
        let client = APIClient(
            server: "https://api.test", credentials: ConfiguredCredentials(), defaults: CallOptions(),
            engine: ScriptedEngine(.status(200)))
        var builder = RequestBuilder(
            client,
            OperationDescriptor(
                id: "op", method: "POST", path: "/a/{p}/z", accept: "*/*", security: nil,
                idempotencyKey: nil),
            CallOptions())
        builder.pathValue("p", Color(), .matrixExploded)
        builder.queryValue("q", Color(), .deepObject)
        builder.queryValue("r", ["/a?b"], .form, isReserved: true)
        builder.headerValue("X-A", Color(), .simpleExploded)
        builder.cookieValue("c", ["x", "y"], .formExploded)
        builder.cookieValue("d", "a b", .cookieExploded)
        builder.cookieJSON("e", [1])
        let request = try builder.prepared().0
        #expect(
            request.target
                == "/a/;R=100;G=200;B=150/z?q%5BR%5D=100&q%5BG%5D=200&q%5BB%5D=150&r=/a?b")
        #expect(request.fields["X-A"] == "R=100,G=200,B=150")
        #expect(request.fields[.cookie] == "c=x; c=y; d=a b; e=%5B1%5D")
    }

    /// The whole query has the text of a body.
    @Test func aFormIsAQuery() throws {
        struct Form: JSONObjectEncodable {
            func write(fields w: inout JSONWriter) {
                w.required("tags", ["a", "b"])
                w.required("ids", [1, 2])
                w.required("name", "x y")
                w.required("more", ["k": "v"] as JSONValue)
            }
        }
        let client = APIClient(
            server: "https://api.test", credentials: ConfiguredCredentials(), defaults: CallOptions(),
            engine: ScriptedEngine(.status(200)))
        var builder = RequestBuilder(
            client,
            OperationDescriptor(
                id: "op", method: "POST", path: "/a", accept: "*/*", security: nil, idempotencyKey: nil),
            CallOptions())
        builder.queryForm("q", Form(), "ids\tform")
        builder.formBody(Form(), "ids\tform")
        let request = try builder.prepared().0
        let text = String(decoding: request.body.bytes ?? [], as: UTF8.self)
        #expect(text.hasPrefix("tags=a&tags=b&ids=1,2&name=x"))
        #expect(request.target == "/a?" + text)
    }

    @Test func formsMayHaveJSONAndReservedCharacters() throws {
        struct Form: JSONObjectEncodable {
            func write(fields w: inout JSONWriter) {
                w.required("tags", ["a", "b"])
                w.required("name", "x y")
                w.required("url", "https://e.test/a b?c")
                w.required("plain", "a/b")
            }
        }
        let client = APIClient(
            server: "https://api.test", credentials: ConfiguredCredentials(), defaults: CallOptions(),
            engine: ScriptedEngine(.status(200)))
        var builder = RequestBuilder(
            client,
            OperationDescriptor(
                id: "op", method: "POST", path: "/a", accept: "*/*", security: nil, idempotencyKey: nil),
            CallOptions())
        builder.formBody(Form(), "name\tjson\ntags\tjson\nurl\tformExploded\treserved")
        #expect(
            try builder.prepared().0.bodyText
                == "tags=%5B%22a%22%2C%22b%22%5D&name=%22x+y%22&url=https://e.test/a%20b?c&plain=a%2Fb")
    }

    @Test func formsFollowTheirEncoding() throws {
        struct Form: JSONObjectEncodable {
            func write(fields w: inout JSONWriter) {
                w.required("metadata", ["order id": "6735"])
                w.required("items", [["price": "p_1"], ["price": "p_2"]])
                w.required("expand", ["a", "b"])
                w.required("list", ["a", "b"])
            }
        }
        let client = APIClient(
            server: "https://api.test", credentials: ConfiguredCredentials(), defaults: CallOptions(),
            engine: ScriptedEngine(.status(200)))
        var builder = RequestBuilder(
            client,
            OperationDescriptor(
                id: "op", method: "POST", path: "/a", accept: "*/*", security: nil, idempotencyKey: nil),
            CallOptions())
        builder.formBody(Form(), "expand\tdeepObject\nitems\tdeepObject\nlist\tform\nmetadata\tdeepObject")
        #expect(
            try builder.prepared().0.bodyText
                == "metadata%5Border+id%5D=6735&items%5B0%5D%5Bprice%5D=p_1&items%5B1%5D%5Bprice%5D=p_2"
                + "&expand%5B0%5D=a&expand%5B1%5D=b&list=a,b")
    }
}
