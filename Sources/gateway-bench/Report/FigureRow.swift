import BenchmarkClients
import FoundationEssentials

/// One measurement: figures by name, and what is aimed at.
struct FigureRow: Encodable {
    struct Figure: Encodable {
        let name: String
        let value: Double
        /// What is aimed at; `nil` for a figure that only informs.
        var goal: Goal?

        var isMet: Bool? { goal.map { $0.isMet(by: value) } }
    }

    enum Goal: Encodable {
        case atMost(Double)
        case atLeast(Double)
        case exactly(Double)

        func isMet(by value: Double) -> Bool {
            switch self {
            case .atMost(let limit): value <= limit
            case .atLeast(let limit): value >= limit
            case .exactly(let wanted): value == wanted
            }
        }

        var text: String {
            switch self {
            case .atMost(let limit): "≤ " + FigureRow.number(limit)
            case .atLeast(let limit): "≥ " + FigureRow.number(limit)
            case .exactly(let wanted): "= " + FigureRow.number(wanted)
            }
        }
    }

    let name: String
    let title: String
    let rounds: Int
    let figures: [Figure]

    /// Prints measurements, for machines or for people.
    static func show(_ rows: [FigureRow], asJSON: Bool) throws {
        print(asJSON ? try json(rows) : table(rows, hasColours: Terminal.isOutputTerminal))
    }

    // MARK: For machines

    private struct Document: Encodable {
        struct Entry: Encodable {
            struct Value: Encodable {
                let value: Double
                let goal: String?
                let met: Bool?
            }
            let name: String
            let rounds: Int
            let figures: [String: Value]
        }
        let measurements: [Entry]
    }

    /// `{"measurements": [{"name", "rounds", "figures": {NAME: {"value", "goal", "met"}}}]}`.
    static func json(_ rows: [FigureRow]) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let entries = rows.map { row in
            Document.Entry(
                name: row.name, rounds: row.rounds,
                figures: Dictionary(
                    uniqueKeysWithValues: row.figures.map { figure in
                        let value = Document.Entry.Value(
                            value: figure.value, goal: figure.goal?.text, met: figure.isMet)
                        return (figure.name, value)
                    }))
        }
        return String(decoding: try encoder.encode(Document(measurements: entries)), as: UTF8.self)
    }

    // MARK: For people

    static func table(_ rows: [FigureRow], hasColours: Bool) -> String {
        let (bold, red, plain) = hasColours ? ("\u{1B}[1m", "\u{1B}[31m", "\u{1B}[0m") : ("", "", "")
        return rows.map { row in
            let lines = row.figures.map { figure in
                let verdict =
                    switch figure.isMet {
                    case true?: "pass"
                    case false?: red + "MISS" + plain
                    case nil: ""
                    }
                return
                    ("  " + pad(figure.name, 24) + pad(number(figure.value), 14, left: true) + "   "
                    + pad(figure.goal?.text ?? "", 10) + verdict).trimmingSuffix(while: { $0 == " " })
            }
            return (["\(bold)\(row.title)\(plain)"] + lines).joined(separator: "\n")
        }.joined(separator: "\n\n")
    }

    private static func pad(_ text: String, _ width: Int, left: Bool = false) -> String {
        let padding = String(repeating: " ", count: max(0, width - text.count))
        return left ? padding + text : text + padding
    }

    private static func number(_ value: Double) -> String {
        value.fixed(abs(value) < 100 && value != value.rounded() ? 2 : 0)
    }

    /// The median of a figure over all rounds.
    static func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        guard let upper = sorted.dropFirst(sorted.count / 2).first else { return 0 }
        return sorted.count.isMultiple(of: 2) ? (sorted[sorted.count / 2 - 1] + upper) / 2 : upper
    }
}

extension String {
    fileprivate func trimmingSuffix(while isDropped: (Character) -> Bool) -> String {
        var copy = self
        while let last = copy.last, isDropped(last) { copy.removeLast() }
        return copy
    }
}
