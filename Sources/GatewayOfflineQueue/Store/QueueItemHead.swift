import GatewayCore
import GatewaySQLite

/// An item without its body, as stored in a file.
///
/// All integers are little-endian. A text is its length (4 bytes) and its UTF-8; an optional text is
/// preceded by a flag (1). The order: the version (1); method, origin and target; the number of header
/// fields (4), then the name and value of each; the idempotency key; the flags (1), of which 1 is ``QueueItem/supersedes``
/// and 4 ``QueueItem/isAnonymous``; the deduplication key,
/// the ordering key and the account, each optional; the priority (1); the times and the repeat window in
/// milliseconds (8 each); with the flag 2 the ID of the operation, its optional method, and its template;
/// the size (8) and the checksum (8) of the body; the checksum of all of this and of the salt (8).
struct QueueItemHead {
    static let version: UInt8 = 1

    /// The item, with an empty body.
    let item: QueueItem
    /// The size of the body in bytes.
    let bodyBytes: Int
    /// The checksum of the body and of the salt.
    let bodyChecksum: UInt64

    /// - Parameters:
    ///   - item: the whole item.
    ///   - salt: the identity of the row, which makes the bytes of another row invalid.
    init(of item: QueueItem, salt: UInt64) {
        bodyBytes = item.body.count
        bodyChecksum = ByteWriter.checksum(of: item.body, salt: salt)
        var item = item
        item.body = []
        self.item = item
    }

    /// - Parameters:
    ///   - item: the item, with an empty body.
    ///   - bodyBytes: the size of the body in bytes.
    ///   - bodyChecksum: the checksum of the body.
    init(item: QueueItem, bodyBytes: Int, bodyChecksum: UInt64) {
        self.item = item
        self.bodyBytes = bodyBytes
        self.bodyChecksum = bodyChecksum
    }

    /// The bytes for the file.
    func encoded(salt: UInt64) -> [UInt8] {
        var writer = ByteWriter()
        writer.append(Self.version)
        writer.append(item.method.rawValue)
        writer.append(item.origin.description)
        writer.append(item.target)
        writer.append(UInt32(clamping: item.fields.count))
        for field in item.fields {
            writer.append(field.name.rawName)
            writer.append(field.value)
        }
        writer.append(item.idempotencyKey)
        writer.append(
            UInt8(
                (item.supersedes ? 1 : 0) | (item.operation == nil ? 0 : 2) | (item.isAnonymous ? 4 : 0)))
        writer.append(optional: item.deduplicationKey)
        writer.append(optional: item.orderingKey)
        writer.append(optional: item.account?.name)
        writer.append(item.priority.rank)
        writer.append(item.created.milliseconds)
        writer.append(item.expires.milliseconds)
        writer.append(item.repeatWindow.wholeMilliseconds)
        if let operation = item.operation {
            writer.append(operation.id)
            writer.append(optional: operation.method?.rawValue)
            writer.append(operation.template)
        }
        writer.append(UInt64(clamping: bodyBytes))
        writer.append(bodyChecksum)
        return writer.finished(salt: salt)
    }

    /// Reads the bytes of the file; `nil` if they are damaged, of another row or of a later version.
    ///
    /// - Parameter last: the start of the head that was read last.
    init?(_ bytes: [UInt8], salt: UInt64, _ last: inout QueueItemStart?) {
        guard var reader = ByteReader(bytes, salt: salt), let start = QueueItemStart(&reader, last) else {
            return nil
        }
        last = start
        guard let key = reader.text(), let flags: UInt8 = reader.number(),
            let deduplicationKey = reader.optionalText(), let orderingKey = reader.optionalText(),
            let account = reader.optionalText(), let rank: UInt8 = reader.number(),
            let priority = CallPriority.all.first(where: { $0.rank == rank }),
            let created: Int64 = reader.number(), let expires: Int64 = reader.number(),
            let window: Int64 = reader.number(),
            let operation = flags & 2 == 0 ? .some(nil) : Self.operation(&reader),
            let size: UInt64 = reader.number(),
            let checksum: UInt64 = reader.number(), let bodyBytes = Int(exactly: size), reader.isAtEnd
        else { return nil }
        item = QueueItem(
            QueueItem.Values(
                method: start.method, origin: start.origin, target: start.target, fields: start.fields,
                body: [],
                idempotencyKey: key, deduplicationKey: deduplicationKey, supersedes: flags & 1 != 0,
                orderingKey: orderingKey, account: account.map(QueueAccount.init),
                isAnonymous: flags & 4 != 0, priority: priority,
                created: QueueTime(milliseconds: created), expires: QueueTime(milliseconds: expires),
                repeatWindow: .milliseconds(window), operation: operation))
        self.bodyBytes = bodyBytes
        bodyChecksum = checksum
    }

    /// Reads an operation; `nil` if it cannot be read.
    private static func operation(_ reader: inout ByteReader) -> Operation?? {
        guard let id = reader.text(), let method = reader.optionalText(), let template = reader.text() else {
            return nil
        }
        return Operation(runtimeID: id, method: method.map { HTTPMethod($0) }, template: template)
    }
}

/// The start of a head: the part that entries of the same operation often share.
struct QueueItemStart {
    private let bytes: [UInt8]
    let method: HTTPMethod
    let origin: Origin
    let target: String
    let fields: HTTPFields

    /// Reads the start of a head; `nil` if it cannot be read.
    ///
    /// - Parameter last: the start of another head, which is reused if it has the same bytes.
    init?(_ reader: inout ByteReader, _ last: QueueItemStart?) {
        if let last, reader.skip(last.bytes) {
            self = last
            return
        }
        let begin = reader
        guard reader.number() == QueueItemHead.version, let method = reader.text(),
            let authority = reader.text(),
            let origin = try? Origin(authority), let target = reader.text(),
            let count: UInt32 = reader.number()
        else { return nil }
        var fields = HTTPFields()
        for _ in 0..<count {
            guard let name = reader.text(), let value = reader.text() else { return nil }
            fields.append(HTTPField.Name(name), value)
        }
        bytes = reader.bytes(since: begin)
        self.method = HTTPMethod(method)
        self.origin = origin
        self.target = target
        self.fields = fields
    }
}
