import GatewayCore
import GatewayResilience
import GatewaySQLite

/// The encoding of a head in the file.
///
/// All integers are little-endian: the status (2 bytes), the flags (1), the times in milliseconds (8 each),
/// the size and the checksum of the body (8 each), then the fields of the response and the selecting fields:
/// for each list a count (4), and for each field the lengths (4 each) and the bytes of name and value. The
/// checksum of all of this, of the key and of the identifier comes last (8).
struct DiskCacheHead {
    let head: CachedHead
    let bodyChecksum: UInt64

    /// The checksum of a body, which includes the key and the identifier.
    static func checksum(of body: [UInt8], _ id: CachedHead.ID, _ key: DiskCacheKey) -> UInt64 {
        var checksum = WordDigest.checksum
        checksum.combine(key.digest)
        checksum.combine(id.rawValue)
        checksum.combine(body)
        return checksum.value
    }

    /// The bytes for the file.
    func encoded(for key: DiskCacheKey) -> [UInt8] {
        var writer = ByteWriter()
        writer.append(UInt16(clamping: head.status))
        writer.append(UInt8(head.isDecoded ? 1 : 0))
        writer.append(head.requested.wholeMilliseconds)
        writer.append(head.received.wholeMilliseconds)
        writer.append(UInt64(clamping: head.bodyBytes))
        writer.append(bodyChecksum)
        for fields in [head.fields, head.selecting] {
            writer.append(UInt32(clamping: fields.count))
            for field in fields {
                writer.append(field.name.rawName)
                writer.append(field.value)
            }
        }
        writer.append(Self.checksum(of: writer.bytes, head.id, key))
        return writer.bytes
    }

    /// Reads the bytes of the file; `nil` if they are damaged or belong to another key or identifier.
    init?(_ bytes: [UInt8], _ id: CachedHead.ID, _ key: DiskCacheKey) {
        guard bytes.count >= 8 else { return nil }
        let content = Array(bytes.dropLast(8))
        var end = ByteReader(unchecked: Array(bytes.suffix(8)))
        guard end.number() == Self.checksum(of: content, id, key) else { return nil }
        var reader = ByteReader(unchecked: content)
        guard let status: UInt16 = reader.number(), let flags: UInt8 = reader.number(),
            let requested: Int64 = reader.number(), let received: Int64 = reader.number(),
            let size: UInt64 = reader.number(), let bodyChecksum: UInt64 = reader.number(),
            let fields = reader.fields(), let selecting = reader.fields(), let bodyBytes = Int(exactly: size)
        else { return nil }
        head = CachedHead(
            id: id, status: Int(status), fields: fields, requested: .milliseconds(requested),
            received: .milliseconds(received), selecting: selecting, bodyBytes: bodyBytes,
            isDecoded: flags & 1 != 0)
        self.bodyChecksum = bodyChecksum
    }

    init(head: CachedHead, bodyChecksum: UInt64) {
        self.head = head
        self.bodyChecksum = bodyChecksum
    }
}

extension ByteReader {
    /// The next list of fields; `nil` if it is malformed.
    fileprivate mutating func fields() -> HTTPFields? {
        guard let count: UInt32 = number() else { return nil }
        var fields = HTTPFields()
        for _ in 0..<count {
            guard let name = text(), let value = text() else { return nil }
            fields.append(HTTPField.Name(name), value)
        }
        return fields
    }
}
