import FoundationEssentials
import GatewayCore
import GatewayJSON
import GatewayTesting
import Testing

@_spi(Generated) @testable import GatewayOpenAPI

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

@Suite struct MultipartTests {
    private struct Form: MultipartBody {
        var file: MultipartFile
        func write(parts p: inout MultipartWriter) {
            p.text("na\"me", "v")
            p.text("none", String?.none)
            p.texts("tag", [1, 2])
            p.json("meta", ["a": 1])
            p.file("file", file, "image/png")
        }
    }

    private func request(_ file: MultipartFile) throws -> HTTPRequest {
        let client = APIClient(
            server: "https://api.test", credentials: ConfiguredCredentials(), defaults: CallOptions(),
            engine: ScriptedEngine(.status(200)))
        var builder = RequestBuilder(
            client,
            OperationDescriptor(
                id: "op", method: "POST", path: "/x", accept: "*/*", security: nil, idempotencyKey: nil),
            CallOptions())
        builder.multipartBody(Form(file: file))
        return try builder.prepared().0
    }

    private func bytes(_ body: HTTPBody) async throws -> [UInt8] {
        if let bytes = body.bytes { return bytes }
        var result: [UInt8] = []
        switch body.storage {
        case .replayable(let length, let make):
            for try await chunk in try await make() {
                #expect(chunk.count <= 65_536)
                result += chunk
            }
            if let length { #expect(Int64(result.count) == length) }
        case .once(_, let once):
            for try await chunk in try #require(once.take()) { result += chunk }
        case .bytes, .file: break
        }
        return result
    }

    private func boundary(_ request: HTTPRequest) throws -> String {
        let type = try #require(request.fields[.contentType])
        #expect(type.hasPrefix("multipart/form-data; boundary=gateway-"))
        return String(type.dropFirst("multipart/form-data; boundary=".count))
    }

    private func expected(_ boundary: String, _ head: String, _ content: [UInt8]) -> [UInt8] {
        let start =
            "--B\r\nContent-Disposition: form-data; name=\"na%22me\"\r\n\r\nv\r\n"
            + "--B\r\nContent-Disposition: form-data; name=\"tag\"\r\n\r\n1\r\n"
            + "--B\r\nContent-Disposition: form-data; name=\"tag\"\r\n\r\n2\r\n"
            + "--B\r\nContent-Disposition: form-data; name=\"meta\"\r\nContent-Type: application/json\r\n\r\n{\"a\":1}\r\n"
            + "--B\r\nContent-Disposition: form-data; name=\"file\"; \(head)\r\n\r\n"
        let text = start.replacing("--B", with: "--" + boundary)
        return Array(text.utf8) + content + Array("\r\n--\(boundary)--\r\n".utf8)
    }

    @Test func primitivesAmongAnyValuesAreTexts() {
        var writer = MultipartWriter(boundary: "B")
        writer.values("v", ["text", 1.5, true, .null, ["a": [1]]] as [JSONValue])
        writer.value("none", JSONValue?.none)
        writer.fileOr("v", MultipartFileOr<JSONValue>.value("other"))
        writer.fileOr("v", MultipartFileOr<JSONValue>.file(.bytes([0x21], filename: "f")))
        #expect(writer.failure == nil)
        let part = "--B\r\nContent-Disposition: form-data; name=\"v\"\r\n"
        let expected =
            [
                "\r\ntext", "\r\n1.5", "\r\ntrue", "Content-Type: application/json\r\n\r\n{\"a\":[1]}",
                "\r\nother",
            ]
            .map { part + $0 + "\r\n" }.joined()
            + "--B\r\nContent-Disposition: form-data; name=\"v\"; filename=\"f\"\r\n"
            + "Content-Type: application/octet-stream\r\n\r\n!\r\n--B--\r\n"
        guard case .bytes(let bytes)? = writer.finished().first else { return }
        #expect(String(decoding: bytes, as: UTF8.self) == expected)
    }

    private struct Job: MultipartBody {
        var name = "n"
        var others: [String: String]
        func write(parts p: inout MultipartWriter) {
            p.text("name", name)
            for (name, value) in p.additional(others, ["name"]) { p.text(name, value) }
        }
    }

    @Test func additionalPropertiesArePartsInTheOrderOfTheirNames() throws {
        var writer = MultipartWriter(boundary: "B")
        Job(others: ["z": "1", "a\"\r\n": "2", "Name": "3"]).write(parts: &writer)
        #expect(writer.failure == nil)
        let expected = [("name", "n"), ("Name", "3"), ("a%22%0D%0A", "2"), ("z", "1")].map { name, value in
            "--B\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(value)\r\n"
        }
        guard case .bytes(let bytes)? = writer.finished().first else {
            Issue.record("no bytes")
            return
        }
        #expect(String(decoding: bytes, as: UTF8.self) == expected.joined() + "--B--\r\n")
        var checked = MultipartWriter(boundary: "")
        checked.members = [:]
        Job(others: ["z": "1"]).write(parts: &checked)
        #expect(checked.members == ["name": "n", "z": "1"])
    }

    @Test func noAdditionalPartHasTheNameOfAnother() {
        var writer = MultipartWriter(boundary: "B")
        Job(others: ["name": "m"]).write(parts: &writer)
        #expect(writer.failure != nil)
    }

    /// Members in an order, which a `JSONValue` has not.
    private struct Color: JSONObjectEncodable {
        func write(fields w: inout JSONWriter) {
            w.int("R", 100)
            w.required("a b", "x=y&z%/é")
            w.required("none", JSONValue.null)
        }
    }

    private func part(_ name: String, _ text: String, _ fields: String = "") -> String {
        "--B\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\(fields)\r\n\(text)\r\n"
    }

    private func text(_ writer: MultipartWriter) -> String? {
        guard writer.failure == nil, case .bytes(let bytes)? = writer.finished().first else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Nothing is percent-encoded in a part.
    @Test(
        arguments: [
            (.form, [("c", "a,b c")], [("c", "R,100,a b,x=y&z%/é")]),
            (.formExploded, [("c", "a"), ("c", "b c")], [("R", "100"), ("a b", "x=y&z%/é")]),
            (.spaceDelimited, [("c", "a b c")], [("c", "R 100 a b x=y&z%/é")]),
            (.pipeDelimited, [("c", "a|b c")], [("c", "R|100|a b|x=y&z%/é")]),
            (.deepObject, [("c[0]", "a"), ("c[1]", "b c")], [("c[R]", "100"), ("c[a b]", "x=y&z%/é")]),
        ] as [(ParameterStyle, [(String, String)], [(String, String)])])
    func partsMayHaveAStyle(
        style: ParameterStyle, array: [(String, String)], object: [(String, String)]
    ) {
        var writer = MultipartWriter(boundary: "B")
        writer.styled("c", ["a", "b c"], style)
        writer.styled("c", Color(), style)
        writer.styled("none", [String]?.none, style)
        writer.styled("none", [] as [String], style)
        writer.styled("one", JSONValue.string("v"), style)
        let expected = (array + object).map { part($0.0, $0.1) } + [part("one", "v")]
        #expect(text(writer) == expected.joined() + "--B--\r\n")
        var checked = MultipartWriter(boundary: "")
        checked.members = [:]
        checked.styled("c", ["a"], style)
        #expect(checked.members == ["c": ["a"]])
    }

    @Test func nestedMembersOfAPart() {
        var writer = MultipartWriter(boundary: "B")
        writer.styled("o", ["a": ["b": [["c": 1], "x"]]] as JSONValue, .deepObject)
        writer.styled("l", [["a": 1]] as JSONValue, .formExploded)
        let parts = [part("o[a][b][0][c]", "1"), part("o[a][b][1]", "x"), part("l", "{\"a\":1}")]
        #expect(text(writer) == parts.joined() + "--B--\r\n")
    }

    @Test func partsHaveTheirHeaderFields() {
        var writer = MultipartWriter(boundary: "B")
        writer.field("tag", "X-Constant", "c d")
        writer.field("tag", "X-Number", 5)
        writer.field("tag", "X-None", String?.none)
        writer.field("tag", "X-Default", Int?.none, "7")
        writer.fieldValue("tag", "X-List", ["a", "b"], .simple)
        writer.fieldValue("tag", "X-Object", ["k": 1] as JSONValue, .simpleExploded)
        writer.field("file", "X-Id", "i")
        writer.texts("tag", ["1", "2"])
        writer.text("other", "3")
        writer.file("file", .bytes([0x21], filename: "f"), "text/csv")
        writer.field("o", "X-O", true)
        writer.styled("o", ["k": 1] as JSONValue, .deepObject)
        let fields =
            "X-Constant: c d\r\nX-Number: 5\r\nX-Default: 7\r\nX-List: a,b\r\nX-Object: k=1\r\n"
        let parts = [
            part("tag", "1", fields), part("tag", "2", fields), part("other", "3"),
            "--B\r\nContent-Disposition: form-data; name=\"file\"; filename=\"f\"\r\n"
                + "Content-Type: text/csv\r\nX-Id: i\r\n\r\n!\r\n",
            part("o[k]", "1", "X-O: true\r\n"),
        ]
        #expect(text(writer) == parts.joined() + "--B--\r\n")
    }

    @Test func aPartHasItsRequiredHeaderField() {
        func writer(_ value: String?) -> MultipartWriter {
            var writer = MultipartWriter(boundary: "B")
            writer.field("p", "X-A", value, isRequired: true)
            writer.fieldJSON("p", "X-J", ["k": 1] as JSONValue)
            return writer
        }
        // Without the part, nothing is missing.
        var absent = writer(nil)
        absent.text("p", String?.none)
        absent.text("q", "v")
        #expect(absent.failure == nil)
        var missing = writer(nil)
        missing.text("p", "v")
        #expect(missing.failure != nil)
        var complete = writer("a")
        complete.text("p", "v")
        #expect(text(complete) == part("p", "v", "X-A: a\r\nX-J: {\"k\":1}\r\n") + "--B--\r\n")
    }

    @Test(arguments: ["a\r\nX-Other: b", "a\nb", "\u{0}"])
    func noHeaderFieldCanAddAnother(value: String) {
        var writer = MultipartWriter(boundary: "B")
        writer.field("p", "X-A", value)
        writer.text("p", "v")
        #expect(writer.failure != nil)
        var list = MultipartWriter(boundary: "B")
        list.fieldValue("p", "X-A", [value], .simple)
        #expect(list.failure != nil)
    }

    @Test func anObjectIsSentInTheEncodingsOfItsParts() throws {
        struct Note: JSONObjectEncodable {
            func write(fields w: inout JSONWriter) {
                w.required("plain", ["a", "b"])
                w.required("json", ["a", "b"])
                w.required("list", ["a", "b"])
                w.required("deep", ["k": 1] as JSONValue)
            }
        }
        let root = try JSONDocument(Note().jsonBytes()).root
        var writer = MultipartWriter(boundary: "B")
        try MultipartEncoding("json\nlist\tform\ndeep\tdeepObject\nlist\tfield\tX-A\tb c").write(
            root, to: &writer)
        let parts = [
            part("plain", "a"), part("plain", "b"),
            part("json", "[\"a\",\"b\"]", "Content-Type: application/json\r\n"),
            part("list", "a,b", "X-A: b c\r\n"), part("deep[k]", "1"),
        ]
        #expect(text(writer) == parts.joined() + "--B--\r\n")
    }

    @Test func textsMayHaveAMediaType() async throws {
        struct Offer: MultipartBody {
            func write(parts p: inout MultipartWriter) {
                p.text("sdp", "v=0", "application/sdp")
                p.texts("row", ["a", "b"], "text/csv")
            }
        }
        let client = APIClient(
            server: "https://api.test", credentials: ConfiguredCredentials(), defaults: CallOptions(),
            engine: ScriptedEngine(.status(200)))
        var builder = RequestBuilder(
            client,
            OperationDescriptor(
                id: "op", method: "POST", path: "/x", accept: "*/*", security: nil, idempotencyKey: nil),
            CallOptions())
        builder.multipartBody(Offer())
        let request = try builder.prepared().0
        let parts = [("sdp", "application/sdp", "v=0"), ("row", "text/csv", "a"), ("row", "text/csv", "b")]
        let boundary = try boundary(request)
        let text = parts.map { name, type, value in
            "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n"
                + "Content-Type: \(type)\r\n\r\n\(value)\r\n"
        }.joined()
        #expect(try await bytes(request.body) == Array((text + "--\(boundary)--\r\n").utf8))
    }

    @Test func partsOfBytes() async throws {
        let request = try request(.bytes([1, 2], filename: "a b.png"))
        #expect(
            request.body.bytes
                == expected(
                    try boundary(request), "filename=\"a b.png\"\r\nContent-Type: image/png", [1, 2]))
    }

    @Test func filesAreReadInPieces() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "multipart-\(UUID()).bin").path
        let content = (0..<200_000).map { UInt8(truncatingIfNeeded: $0) }
        try Data(content).write(to: URL(filePath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        let request = try request(.file(path, filename: "é.bin", contentType: "text/csv"))
        #expect(request.body.bytes == nil)
        #expect(request.body.isReplayable)
        let wanted = expected(
            try boundary(request), "filename=\"é.bin\"\r\nContent-Type: text/csv", content)
        // As often as the request is sent.
        #expect(try await bytes(request.body) == wanted)
        #expect(try await bytes(request.body) == wanted)
    }

    /// The length is announced before the file is read.
    @Test func aFileThatGrowsIsSentAsItWas() async throws {
        let folder = FileManager.default.temporaryDirectory
        let path = folder.appending(path: "multipart-\(UUID()).bin").path
        let link = folder.appending(path: "multipart-\(UUID())").path
        try Data([1, 2, 3]).write(to: URL(filePath: path))
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        defer {
            try? FileManager.default.removeItem(atPath: path)
            try? FileManager.default.removeItem(atPath: link)
        }
        let requests = try [path, link].map { try request(.file($0, filename: "f", contentType: "a/b")) }
        try Data([1, 2, 3, 4, 5]).write(to: URL(filePath: path))
        for request in requests {
            let wanted = expected(
                try boundary(request), "filename=\"f\"\r\nContent-Type: a/b", [1, 2, 3])
            #expect(try await bytes(request.body) == wanted)
            guard case .replayable(let length, _) = request.body.storage else {
                Issue.record("it can be sent again")
                return
            }
            #expect(length == Int64(wanted.count))
        }
        // One that shrinks has no bytes to send in their place.
        try Data([1]).write(to: URL(filePath: path))
        await #expect(throws: NetworkError.self) { _ = try await bytes(requests[0].body) }
    }

    /// A named pipe would be waited for, and a device might never end.
    @Test func onlyRegularFilesAreParts() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "multipart-\(UUID())").path
        try #require(mkfifo(path, 0o600) == 0)
        defer { try? FileManager.default.removeItem(atPath: path) }
        for path in [path, "/dev/zero"] {
            let body = try request(.file(path, filename: "f", contentType: "text/csv")).body
            let error = await #expect(throws: NetworkError.self) { try await bytes(body) }
            #expect(error?.code == .invalidRequest)
        }
    }

    @Test func streamsGoOutOnce() async throws {
        let (stream, continuation) = AsyncThrowingStream<HTTPBody.Chunk, any Error>.makeStream()
        continuation.yield([7, 8])
        continuation.yield([9])
        continuation.finish()
        let request = try request(MultipartFile(.once(stream), filename: nil))
        let wanted = expected(try boundary(request), "X", [7, 8, 9])
        let head = Array("; X\r\n".utf8)
        _ = head
        let got = String(decoding: try await bytes(request.body), as: UTF8.self)
        #expect(
            got
                == String(decoding: wanted, as: UTF8.self).replacing(
                    "; X\r\n", with: "\r\nContent-Type: image/png\r\n"))
        #expect(!request.body.isReplayable)
    }

    @Test func namesCannotAddFields() throws {
        let request = try request(.bytes([], filename: "a\"\r\nX: y"))
        let text = String(decoding: request.body.bytes ?? [], as: UTF8.self)
        #expect(text.contains("filename=\"a%22%0D%0AX: y\""))
        #expect(throws: NetworkError.self) { try self.request(.bytes([], contentType: "a\r\nb")) }
    }

    /// Lengths that cannot be added up are as good as the largest number; reading such a part fails.
    @Test(arguments: [0..<Int64.max, Int64.min..<Int64.max, Int64.min..<0, Int64.max - 1..<Int64.max])
    func rangesOfAnyLength(range: Range<Int64>) async throws {
        let body = MultipartStream.body([
            .bytes([1]), .body(.file(#filePath, range: range)), .body(.file(#filePath, range: range)),
        ])
        await #expect(throws: NetworkError.self) { _ = try await bytes(body) }
    }

    @Test(arguments: ExtremeValues.integers)
    func partsOfAnyLength(length: Int) async throws {
        let part = HTTPBody.replayable(length: Int64(length)) {
            AsyncThrowingStream<HTTPBody.Chunk, any Error> { $0.finish() }
        }
        guard case .replayable(let sum, _) = MultipartStream.body([.body(part), .body(part)]).storage else {
            Issue.record("it can be sent again")
            return
        }
        #expect(sum == (length < 0 ? nil : length > 1 ? .max : Int64(2 * length)))
    }
}
