import GatewayCore
import Testing

@testable import GatewayOfflineQueue

/// What is refused before anything is stored, and the form in the file.
@Suite struct QueueItemTests {
    struct Case: Sendable, CustomStringConvertible {
        let property: String
        let change: @Sendable (inout QueueRequest) -> Void
        var description: String { property }
    }

    static let refused: [Case] = [
        Case(property: "timeToLive") { $0.timeToLive = .zero },
        Case(property: "timeToLive") { $0.timeToLive = .seconds(-1) },
        Case(property: "timeToLive") { $0.timeToLive = .seconds(30 * 86_400 + 1) },
        Case(property: "repeatWindow") { $0.repeatWindow = .seconds(-1) },
        Case(property: "repeatWindow") { $0.repeatWindow = .seconds(Int64.max / 2) },
        Case(property: "deduplicationKey") { $0.deduplicationKey = "" },
        Case(property: "deduplicationKey") { $0.deduplicationKey = String(repeating: "k", count: 256) },
        Case(property: "orderingKey") { $0.orderingKey = String(repeating: "ä", count: 128) },
        Case(property: "orderingKey") { $0.orderingKey = "a\u{0}b" },
        Case(property: "account") { $0.account = QueueAccount("") },
        Case(property: "supersedes") { $0.supersedes = true },
        Case(property: "idempotencyKey") { $0.idempotencyKey = "" },
        Case(property: "idempotencyKey") { $0.idempotencyKey = "a b" },
        Case(property: "idempotencyKey") { $0.idempotencyKey = String(repeating: "k", count: 256) },
        Case(property: "idempotencyKey") {
            $0.idempotencyKey = "a"
            $0.request.fields[.idempotencyKey] = "b"
        },
        Case(property: "body") { $0.request.body = .file("/tmp/x") },
        Case(property: "body") {
            $0.request.body = .once(AsyncStream<HTTPBody.Chunk> { $0.finish() }.map { chunk throws in chunk })
        },
        Case(property: "request") { $0.request.target = "no slash" },
        Case(property: "fields") { $0.request.fields["X-Unknown"] = "value" },
        Case(property: "fields") { $0.request.fields[.authorization] = "Bearer secret" },
        Case(property: "fields") { $0.request.fields[.cookie] = "secret" },
        Case(property: "fields") { $0.request.fields["x-api-key"] = "secret" },
        Case(property: "fields") { $0.request.fields["Private-Token"] = "secret" },
    ]

    @Test(arguments: refused)
    func whatCannotBeStoredIsRefusedByName(sample: Case) {
        let error = #expect(throws: QueueError.self) { _ = try QueueItem.sample("{}", sample.change) }
        #expect(error?.code == .invalid)
        #expect(error?.property == sample.property)
        #expect(error?.description.contains("secret") == false)
    }

    @Test(arguments: ["Authorization", "Private-Token", "X-Session-ID"])
    func aCredentialIsNamedAndNeverAllowed(name: String) throws {
        let name = HTTPField.Name(name)
        let request = QueueRequest(
            try HTTPRequest(.post, "https://a.example/", fields: [name: "secret"], body: .text("x")))
        let error = #expect(throws: QueueError.self) {
            _ = try QueueItem(request, now: .start, additionalFields: [name])
        }
        #expect(error?.message.contains("'\(name)' is a credential") == true)
    }

    @Test func theRequestHasTheKeyAndTheBytes() throws {
        let item = try QueueItem.sample("hello") { $0.request.fields[.idempotencyKey] = "mine" }
        #expect(item.idempotencyKey == "mine")
        #expect(item.request.fields.values(for: .idempotencyKey) == ["mine"])
        #expect(item.request.body.bytes == Array("hello".utf8))
        #expect(item.request.target == "/v1/items?q=1")
        let random = try QueueItem.sample()
        #expect(random.idempotencyKey.utf8.count == 32)
        #expect(try QueueItem.sample().idempotencyKey != random.idempotencyKey)
        #expect(!"\(item)".contains("q=1") && !"\(item)".contains("mine"))
    }

    @Test func theBytesOfTheFileGiveTheSameItem() throws {
        let items = [
            try QueueItem.sample(),
            try QueueItem.sample("ä") {
                $0.account = QueueAccount("a")
                $0.orderingKey = "o"
                $0.deduplicationKey = "d"
                $0.supersedes = true
                $0.priority = .critical
            },
            try QueueItem.sample { $0.request.fields["Content-Language"] = "de" },
            try QueueItem.sample("other") { $0.request.fields["Content-Language"] = "de" },
            try QueueItem.sample { $0.request.fields["Content-Language"] = "d" },
            try QueueItem.sample {
                $0.operation = Operation("pay", method: .post, template: "/payments/{id}")
                $0.supersedes = true
                $0.deduplicationKey = "d"
            },
            try QueueItem.sample { $0.operation = "pay" },
            try QueueItem.sample {
                $0.isAnonymous = true
                $0.operation = "pay"
            },
        ]
        // What it begins with is often that of the one before.
        var last: QueueItemStart?
        for item in items + items.reversed() {
            var head = item
            head.body = []
            let bytes = QueueItemHead(of: item, salt: 7).encoded(salt: 7)
            #expect(QueueItemHead(bytes, salt: 7, &last)?.item == head)
            #expect(QueueItemHead(bytes, salt: 8, &last) == nil)
            for index in bytes.indices {
                var damaged = bytes
                damaged[index] ^= 0x10
                #expect(QueueItemHead(damaged, salt: 7, &last) == nil)
                #expect(QueueItemHead(Array(bytes[..<index]), salt: 7, &last) == nil)
            }
        }
    }
}
