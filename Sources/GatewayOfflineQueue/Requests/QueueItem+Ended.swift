import GatewayCore
import GatewaySQLite

extension QueueItem {
    /// Field values that reveal nothing about a request and that most requests have, the most frequent one
    /// first.
    private static let plainValues = [
        "application/json", "application/json; charset=utf-8", "application/octet-stream", "*/*",
    ]

    /// What remains when its entry has ended: neither the body nor values of header fields, and a checksum
    /// in place of the query, which identifies the same request. `nil` if it has neither a query nor such
    /// values.
    var withoutValues: QueueItem? {
        let isPlain = fields.allSatisfy { field in
            (field.name == .contentType || field.name == .accept) && Self.plainValues.contains(field.value)
        }
        let kept = Self.withoutQuery(target)
        guard kept != nil || !isPlain else { return nil }
        var item = self
        item.values.value.target = kept ?? target
        if !isPlain { item.values.value.fields = HTTPFields() }
        item.body = []
        return item
    }

    /// The same request without deduplication.
    var withoutDeduplication: QueueItem {
        var item = self
        item.values.value.deduplicationKey = nil
        item.values.value.supersedes = false
        return item
    }

    /// A target with a checksum in place of its query; `nil` if it has none.
    private static func withoutQuery(_ target: String) -> String? {
        guard let query = target.utf8.firstIndex(of: UInt8(ascii: "?")) else { return nil }
        let checksum = ByteWriter.checksum(of: Array(target.utf8), salt: 0)
        return "\(target[..<query])?\(String(checksum, radix: 16))"
    }

    /// Whether another item has the same target as this one, whose entry may have ended.
    func hasTarget(of other: QueueItem) -> Bool {
        target == other.target || target == Self.withoutQuery(other.target)
    }
}
