import GatewayCore
import GatewaySQLite

/// The form of an item in a file.
///
/// All integers are little-endian; a text is its length (4 bytes) and its UTF-8, an optional text has a flag (1) before it.
/// The version (1); method, origin and target; the number of header fields (4) and for each name and value; the
/// idempotency key; the flags (1); the deduplication key, the ordering key and the account, each optional; the priority (1);
/// the times and the repeat window in milliseconds (8 each); the body. The checksum of all that and of the salt comes
/// last (8).
extension QueueItem {
    static let version: UInt8 = 1

    /// The bytes for the file.
    ///
    /// - Parameter salt: what the row is known by, so that the bytes of another row are found to be wrong.
    func encoded(salt: UInt64) -> [UInt8] {
        var writer = ByteWriter()
        writer.append(Self.version)
        writer.append(method.rawValue)
        writer.append(origin.description)
        writer.append(target)
        writer.append(UInt32(clamping: fields.count))
        for field in fields {
            writer.append(field.name.rawName)
            writer.append(field.value)
        }
        writer.append(idempotencyKey)
        writer.append(UInt8(supersedes ? 1 : 0))
        writer.append(optional: deduplicationKey)
        writer.append(optional: orderingKey)
        writer.append(optional: account?.name)
        writer.append(priority.rank)
        writer.append(created.milliseconds)
        writer.append(expires.milliseconds)
        writer.append(QueueTime.milliseconds(repeatWindow))
        writer.append(body)
        return writer.finished(salt: salt)
    }

    /// Reads the bytes of the file; `nil` if they are damaged, of another row or of a later version.
    init?(_ bytes: [UInt8], salt: UInt64) {
        guard var reader = ByteReader(bytes, salt: salt), reader.number() == Self.version,
            let method = reader.text(), let authority = reader.text(), let origin = try? Origin(authority),
            let target = reader.text(), let count: UInt32 = reader.number()
        else { return nil }
        var fields = HTTPFields()
        for _ in 0..<count {
            guard let name = reader.text(), let value = reader.text() else { return nil }
            fields.append(HTTPField.Name(name), value)
        }
        guard let key = reader.text(), let flags: UInt8 = reader.number(),
            let deduplicationKey = reader.optionalText(), let orderingKey = reader.optionalText(),
            let account = reader.optionalText(), let rank: UInt8 = reader.number(),
            let priority = CallPriority.all.first(where: { $0.rank == rank }),
            let created: Int64 = reader.number(), let expires: Int64 = reader.number(),
            let window: Int64 = reader.number(), let body = reader.bytes(), reader.isAtEnd
        else { return nil }
        self.init(
            method: HTTPMethod(method), origin: origin, target: target, fields: fields, body: body,
            idempotencyKey: key, deduplicationKey: deduplicationKey, supersedes: flags & 1 != 0,
            orderingKey: orderingKey, account: account.map(QueueAccount.init), priority: priority,
            created: QueueTime(milliseconds: created), expires: QueueTime(milliseconds: expires),
            repeatWindow: .milliseconds(window))
    }
}
