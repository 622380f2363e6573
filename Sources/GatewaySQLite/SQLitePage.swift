/// A table leaf page of a SQLite file (sqlite.org/fileformat2.html, sections 1.6 and 2.1).
///
/// It is read without its parent pages, so that damage elsewhere does not hide its rows. Its content is not
/// trusted.
package struct SQLitePage {
    /// A row.
    package struct Row {
        /// The row ID.
        package let id: Int64
        /// The columns. A column that is an alias of the row ID is null.
        package let columns: [SQLiteValue]
    }

    /// The maximum size of a row, in bytes.
    private static let largest = 16 << 20

    private let bytes: [UInt8]
    private let start: Int

    /// - Parameters:
    ///   - bytes: the whole page.
    ///   - number: the number of the page, from 1.
    /// - Returns: `nil` if it is not a table leaf page.
    package init?(_ bytes: [UInt8], number: Int) {
        start = number == 1 ? 100 : 0
        guard bytes.count >= 512, bytes[start] == 0x0D else { return nil }
        self.bytes = bytes
    }

    /// The readable rows.
    ///
    /// - Parameter page: returns another page by its number.
    package func rows(_ page: (Int) -> [UInt8]?) -> [Row] {
        let count = Int(bytes[start + 3]) << 8 | Int(bytes[start + 4])
        return (0..<min(count, bytes.count / 4)).compactMap { index in
            let place = start + 8 + 2 * index
            guard place + 1 < bytes.count else { return nil }
            return row(at: Int(bytes[place]) << 8 | Int(bytes[place + 1]), page)
        }
    }

    private func row(at offset: Int, _ page: (Int) -> [UInt8]?) -> Row? {
        var index = offset
        guard let size = Self.varint(bytes, &index), let id = Self.varint(bytes, &index), size >= 0,
            size <= Self.largest
        else { return nil }
        guard let payload = payload(Int(size), at: index, page), let columns = Self.columns(payload) else {
            return nil
        }
        return Row(id: id, columns: columns)
    }

    /// The bytes of a row from this page and its overflow pages.
    private func payload(_ size: Int, at index: Int, _ page: (Int) -> [UInt8]?) -> [UInt8]? {
        let usable = bytes.count
        var local = size
        if size > usable - 35 {
            let least = (usable - 12) * 32 / 255 - 23
            let fitting = least + (size - least) % (usable - 4)
            local = fitting <= usable - 35 ? fitting : least
        }
        let isWhole = local == size
        guard index >= 0, index + local + (isWhole ? 0 : 4) <= usable else { return nil }
        var payload = Array(bytes[index..<index + local])
        var next = isWhole ? 0 : Self.number(bytes, index + local)
        while payload.count < size {
            guard next > 1, let more = page(next), more.count == usable else { return nil }
            payload += more[4..<min(usable, 4 + size - payload.count)]
            next = Self.number(more, 0)
        }
        return payload
    }

    private static func columns(_ payload: [UInt8]) -> [SQLiteValue]? {
        var index = 0
        guard let header = varint(payload, &index), header >= 0, header <= payload.count else { return nil }
        var place = Int(header)
        var columns: [SQLiteValue] = []
        while index < Int(header) {
            guard let type = varint(payload, &index), columns.count < 64 else { return nil }
            let size: Int
            switch type {
            case 0, 8, 9: size = 0
            case 1...4: size = Int(type)
            case 5: size = 6
            case 6, 7: size = 8
            case 12...: size = Int(min(type - 12, Int64(largest) * 2) / 2)
            default: return nil
            }
            guard size <= payload.count - place else { return nil }
            let content = payload[place..<place + size]
            place += size
            switch type {
            case 0: columns.append(.null)
            case 8, 9: columns.append(.integer(type - 8))
            case 1...6:
                let isNegative = content.first.map { $0 & 0x80 != 0 } ?? false
                columns.append(.integer(content.reduce(isNegative ? -1 : 0) { $0 << 8 | Int64($1) }))
            case 7: return nil
            default:
                if type & 1 == 0 {
                    columns.append(.bytes(Array(content)))
                } else {
                    guard let text = String(validating: content, as: UTF8.self) else { return nil }
                    columns.append(.text(text))
                }
            }
        }
        return columns
    }

    private static func number(_ bytes: [UInt8], _ index: Int) -> Int {
        bytes[index..<index + 4].reduce(0) { $0 << 8 | Int($1) }
    }

    private static func varint(_ bytes: [UInt8], _ index: inout Int) -> Int64? {
        var value: UInt64 = 0
        for place in 0..<9 {
            guard index >= 0, index < bytes.count else { return nil }
            let byte = bytes[index]
            index += 1
            if place == 8 { return Int64(bitPattern: value << 8 | UInt64(byte)) }
            value = value << 7 | UInt64(byte & 0x7F)
            if byte & 0x80 == 0 { return Int64(bitPattern: value) }
        }
        return nil
    }
}
