import BenchmarkClients

/// One measurement: figures by name, and what is aimed at.
struct FigureRow: Encodable {
    struct Figure: Encodable {
        private enum CodingKeys: CodingKey {
            case value, goal, met
        }

        let name: String
        let value: Double
        /// What is aimed at; `nil` for a figure that only informs.
        var goal: Goal?

        var isMet: Bool? { goal.map { $0.isMet(by: value) } }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(value, forKey: .value)
            try container.encodeIfPresent(goal?.text, forKey: .goal)
            try container.encodeIfPresent(isMet, forKey: .met)
        }
    }

    enum Goal {
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

        /// A goal of builds with optimization; without it there is none.
        static func optimized(_ goal: Goal) -> Goal? {
            #if DEBUG
                nil
            #else
                goal
            #endif
        }
    }

    let name: String
    let title: String
    let rounds: Int
    let figures: [Figure]

    /// Prints measurements, for machines or for people.
    ///
    /// - Returns: whether no goal is missed.
    static func show(_ rows: [FigureRow], asJSON: Bool) throws -> Bool {
        Terminal.endProgress()
        print(
            asJSON ? try jsonText(["measurements": rows]) : table(rows, hasColours: Terminal.isOutputTerminal)
        )
        return rows.allSatisfy { $0.figures.allSatisfy { $0.isMet != false } }
    }

    // MARK: For machines

    private enum CodingKeys: CodingKey {
        case name, rounds, figures
    }

    /// `{"name", "rounds", "figures": {NAME: {"value", "goal", "met"}}}`.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        try container.encode(rounds, forKey: .rounds)
        try container.encode(
            Dictionary(uniqueKeysWithValues: figures.map { ($0.name, $0) }), forKey: .figures)
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
                var line =
                    "  " + pad(figure.name, 24) + pad(number(figure.value), 14, left: true) + "   "
                    + pad(figure.goal?.text ?? "", 10) + verdict
                while line.last == " " { line.removeLast() }
                return line
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
