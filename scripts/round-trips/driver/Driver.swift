import Foundation
@_spi(Generated) import GatewayClient

typealias AnyModel = any (JSONDecodable & JSONEncodable).Type

/// The arguments of a call, by the names that Swift has for them.
struct Arguments {
    let json: JSONElement

    func required<Value: JSONDecodable>(_ name: StaticString) throws -> Value {
        guard let element = json[name] else { throw Missing(name: "\(name)") }
        return try Value(json: element)
    }

    func optional<Value: JSONDecodable>(_ name: StaticString) throws -> Value? {
        guard let element = json[name], !element.isNull else { return nil }
        return try Value(json: element)
    }

    func body(_ name: StaticString) throws -> HTTPBody {
        guard let element = json[name] else { throw Missing(name: "\(name)") }
        return .text(try element.string())
    }

    func optionalBody(_ name: StaticString) throws -> HTTPBody? {
        json[name] == nil ? nil : try body(name)
    }

    func form<Form: MultipartBody>(_ name: StaticString, _ make: (Arguments) throws -> Form) throws -> Form {
        guard let element = json[name] else { throw Missing(name: "\(name)") }
        return try make(Arguments(json: element))
    }

    func optionalForm<Form: MultipartBody>(
        _ name: StaticString, _ make: (Arguments) throws -> Form
    ) throws -> Form? {
        json[name] == nil ? nil : try form(name, make)
    }

    func file(_ name: StaticString) throws -> MultipartFile {
        guard let file = try optionalFile(name) else { throw Missing(name: "\(name)") }
        return file
    }

    func optionalFile(_ name: StaticString) throws -> MultipartFile? {
        guard let element = json[name], !element.isNull else { return nil }
        return .bytes(Array(try element.string().utf8))
    }

    func fileOr<Value: JSONDecodable & JSONEncodable & Sendable>(
        _ name: StaticString
    ) throws -> MultipartFileOr<Value> {
        guard let value: MultipartFileOr<Value> = try optionalFileOr(name) else {
            throw Missing(name: "\(name)")
        }
        return value
    }

    func optionalFileOr<Value: JSONDecodable & JSONEncodable & Sendable>(
        _ name: StaticString
    ) throws -> MultipartFileOr<Value>? {
        guard let element = json[name], !element.isNull else { return nil }
        return element.type == .string ? .file(try file(name)) : .value(try Value(json: element))
    }

    func files(_ name: StaticString) throws -> [MultipartFile] {
        guard let element = json[name] else { throw Missing(name: "\(name)") }
        guard element.type == .array else { return [try file(name)] }
        return try [String](json: element).map { .bytes(Array($0.utf8)) }
    }

    func others<Value: JSONDecodable>(but known: [String]) throws -> [String: Value] {
        try json.object().additional(known)
    }

    func otherFiles(but known: [String]) throws -> [String: MultipartFile] {
        let texts: [String: String] = try others(but: known)
        return texts.mapValues { .bytes(Array($0.utf8)) }
    }

    func optionalFiles(_ name: StaticString) throws -> [MultipartFile]? {
        json[name].map(\.isNull) ?? true ? nil : try files(name)
    }
}

/// An argument that the line does not have.
struct Missing: Error {
    let name: String
}

/// Answers with one response and keeps the request, as it went out with its credentials.
final class RecordingEngine: RequestEngine, @unchecked Sendable {
    let services = EngineServices()
    // Calls follow each other: nothing here is used by two at a time.
    var request: HTTPRequest?
    var status = 200
    var fields = HTTPFields()
    var body: [UInt8] = []

    func send(_ request: HTTPRequest, context: RequestContext) async throws(NetworkError) -> HTTPResponse {
        var request = request
        if let credentials = context.credentials {
            try await credentials.ready(atLeast: 0, deadline: nil)
            _ = try credentials.stamp(&request, atLeast: 0)
        }
        try request.validate()
        self.request = request
        return HTTPResponse(
            status: status, fields: fields, body: .bytes(body), exchange: Exchange(origin: request.origin))
    }
}

/// The error of a call of any operation.
protocol CallFailure {
    var anyDocumented: Any? { get }
}

extension APIError: CallFailure {
    var anyDocumented: Any? {
        guard case .documented(let documented) = failure else { return nil }
        return documented
    }
}

/// Reads a line of work for each answer it prints:
///
///     {"id": 1, "type": "#/components/schemas/Pet", "json": "…"}
///     {"id": 2, "call": "GET /pets", "arguments": {…}, "status": 200, "fields": {…}, "body": "…"}
enum Driver {
    static func run<Client>(
        models: @Sendable () -> [String: AnyModel],
        operations: @Sendable () -> [String: (Client, Arguments) async throws -> Any],
        client: @Sendable (RecordingEngine) -> Client
    ) async {
        let models = models()
        let operations = operations()
        let engine = RecordingEngine()
        let client = client(engine)
        while let line = readLine() {
            var answer = JSONWriter()
            answer.beginObject()
            do {
                let work = try JSONDocument(Array(line.utf8)).root
                answer.int("id", try work["id"]?.integer() ?? 0)
                if let type = try work["type"]?.string() {
                    let text = try work["json"]?.string() ?? ""
                    guard let model = models[type] else { throw Missing(name: type) }
                    let isNullable = try work["nullable"]?.bool() ?? false
                    answer.string("json", try isNullable ? nullable(model, text) : roundTrip(model, text))
                } else if let name = try work["call"]?.string() {
                    guard let operation = operations[name], let arguments = work["arguments"] else {
                        throw Missing(name: name)
                    }
                    try prepare(engine, work)
                    await call({ try await operation(client, Arguments(json: arguments)) }, &answer)
                    write(engine.request, &answer)
                }
            } catch {
                answer.string("error", text(error))
            }
            answer.endObject()
            // Each at once: of a program that dies the answers before that count.
            FileHandle.standardOutput.write(Data(((try? answer.finished()) ?? Array("{}".utf8)) + [0x0A]))
        }
    }

    private static func roundTrip(_ model: AnyModel, _ text: String) throws -> String {
        String(decoding: try again(model, text), as: UTF8.self)
    }

    private static func nullable<Model: JSONDecodable & JSONEncodable>(
        _ type: Model.Type, _ text: String
    ) throws -> String {
        String(decoding: try again(Model?.self, text), as: UTF8.self)
    }

    private static func again<Model: JSONDecodable & JSONEncodable>(
        _ type: Model.Type, _ text: String
    ) throws -> [UInt8] {
        try Model(jsonBytes: Array(text.utf8)).jsonBytes()
    }

    private static func prepare(_ engine: RecordingEngine, _ work: JSONElement) throws {
        engine.request = nil
        engine.status = try work["status"]?.integer() ?? 200
        engine.body = Array(try work["body"]?.string().utf8 ?? "".utf8)
        engine.fields = HTTPFields()
        if let fields = try work["fields"]?.object() {
            for (name, element) in fields.members {
                engine.fields.append(HTTPField.Name(name), try element.string())
            }
        }
    }

    private static func call(_ operation: () async throws -> Any, _ answer: inout JSONWriter) async {
        do {
            write("value", try await operation(), &answer)
        } catch {
            if let documented = (error as? any CallFailure)?.anyDocumented {
                write("documented", payload(of: documented), &answer)
            } else {
                answer.string("error", text(error))
            }
        }
    }

    /// What a case of a generated enum holds beside a status.
    private static func payload(of value: Any) -> Any {
        guard let inner = Mirror(reflecting: value).children.first?.value else { return () }
        let parts = Mirror(reflecting: inner)
        guard parts.displayStyle == .tuple else { return inner }
        return parts.children.first { $0.label != "status" }?.value ?? ()
    }

    private static func write(_ name: String, _ value: Any, _ answer: inout JSONWriter) {
        answer.name(name)
        if value is Void {
            answer.string("")
        } else if type(of: value) == [UInt8].self, let bytes = value as? [UInt8] {
            // An empty array of anything else can be cast as well.
            answer.string(String(decoding: bytes, as: UTF8.self))
        } else if let text = value as? String {
            answer.string(text)
            answer.name("isText")
            answer.bool(true)
        } else if let model = value as? any JSONEncodable {
            answer.string(
                (try? model.jsonBytes()).map { String(decoding: $0, as: UTF8.self) } ?? "unwritable")
        } else if let success = value as? any DocumentedSuccess {
            answer.string("")
            write("success", payload(of: success), &answer)
        } else {
            answer.string("")
            answer.name("opaque")
            answer.string("\(type(of: value))")
        }
    }

    private static func write(_ request: HTTPRequest?, _ answer: inout JSONWriter) {
        guard let request else { return }
        answer.name("request")
        answer.beginObject()
        answer.name("method")
        answer.string("\(request.method)")
        answer.name("origin")
        answer.string("\(request.origin)")
        answer.name("target")
        answer.string(request.target)
        answer.name("fields")
        answer.beginArray()
        for field in request.fields {
            answer.beginArray()
            answer.string("\(field.name)")
            answer.string(field.value)
            answer.endArray()
        }
        answer.endArray()
        answer.name("body")
        answer.string(Data(request.body.bytes ?? []).base64EncodedString())
        answer.endObject()
    }

    private static func text(_ error: any Error) -> String {
        "\(error)"
    }
}
