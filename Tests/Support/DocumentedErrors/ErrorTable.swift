import Foundation

/// A table of the documentation page on errors: situations, and the message that a user sees in each.
///
/// Tests produce the rows. With `GATEWAY_WRITE_PAGES` set the page is written, else it is compared.
public struct ErrorTable {
    /// A row.
    public struct Row: Sendable {
        /// What is wrong.
        public let situation: String
        /// What the user sees.
        public let message: String
        /// What the user can do about it; empty where the message says all.
        public let guidance: String

        /// Makes a row.
        public init(_ situation: String, message: String, guidance: String = "") {
            self.situation = situation
            self.message = message
            self.guidance = guidance
        }
    }

    private static let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Sources/GatewayClient/GatewayClient.docc/Errors.md")

    private let name: String

    /// Names a table: it is between the comments `table: NAME` and `end: NAME` of the page.
    public init(_ name: String) { self.name = name }

    /// Compares the page's table with the rows, or writes it.
    ///
    /// - Returns: what differs; empty where nothing does.
    public func differences(from rows: [Row]) throws -> [String] {
        let text = try String(contentsOf: Self.page, encoding: .utf8)
        guard let start = text.range(of: "<!-- table: \(name) -->\n"),
            let end = text.range(of: "<!-- end: \(name) -->")
        else { return ["the page has no table \(name)"] }
        let lines = rows.map(Self.line)
        if ProcessInfo.processInfo.environment["GATEWAY_WRITE_PAGES"] != nil {
            var page = text
            let header = ["| Situation | Message | Guidance |", "|---|---|---|"]
            page.replaceSubrange(
                start.upperBound..<end.lowerBound, with: (header + lines).joined(separator: "\n") + "\n")
            try page.write(to: Self.page, atomically: true, encoding: .utf8)
            return []
        }
        let documented = text[start.upperBound..<end.lowerBound].split(separator: "\n").dropFirst(2)
            .map(String.init)
        var differences: [String] = []
        for line in lines where !documented.contains(line) { differences.append("not on the page: \(line)") }
        for line in documented where !lines.contains(line) { differences.append("only on the page: \(line)") }
        if differences.isEmpty, documented != lines { differences.append("the rows are in another order") }
        return differences
    }

    private static func line(_ row: Row) -> String {
        let message = row.message.split(separator: "\n").map { "`\($0.replacing("`", with: "'"))`" }
            .joined(separator: "<br>").replacing("|", with: "\\|")
        return "| \(row.situation) | \(message) | \(row.guidance) |"
    }
}

/// Replaces what differs from run to run: ports, folders and request IDs.
public struct Normalisation: Sendable {
    private var replacements: [(found: String, shown: String)] = []

    /// Replaces nothing.
    public init() {}

    /// Replaces an authority, such as `127.0.0.1:40123`, by a name.
    public mutating func replace(_ found: String, by shown: String) { replacements.append((found, shown)) }

    /// The text with all replacements.
    public func callAsFunction(_ text: String) -> String {
        replacements.reduce(text) { $0.replacing($1.found, with: $1.shown) }
            .replacing(/\brequest [0-9a-f]{16}\b/, with: "request 5cfb2e2eaf5369cd")
    }
}
