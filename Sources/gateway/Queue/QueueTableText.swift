import GatewayOfflineQueue

/// Entries as a table for people.
enum QueueTableText {
    private static let titles = ["ID", "STATE", "AGE", "ATTEMPTS", "REASON", "REQUEST", "WAITS"]

    /// A row for each entry, and a line with the number of entries in each state.
    static func text(_ entries: [QueueDescription]) -> String {
        guard !entries.isEmpty else { return "no entries\n" }
        let rows = [titles] + entries.map(\.cells)
        let widths = titles.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        var text = ""
        for row in rows {
            for (column, cell) in row.enumerated() {
                text += cell
                guard column < row.count - 1 else { continue }
                text += String(repeating: " ", count: widths[column] - cell.count + 2)
            }
            text += "\n"
        }
        let counts = QueueEntry.State.all.compactMap { state -> String? in
            let count = entries.count { $0.state == state }
            return count == 0 ? nil : "\(count) \(state)"
        }
        return text + counts.joined(separator: ", ") + "\n"
    }
}
