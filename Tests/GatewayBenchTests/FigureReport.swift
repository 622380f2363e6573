/// What `--json` of a benchmark prints whose rows are figures.
struct FigureReport: Decodable {
    struct Value: Decodable {
        let value: Double
        let goal: String?
        let met: Bool?
    }
    struct Measurement: Decodable {
        let name: String
        let rounds: Int
        let figures: [String: Value]
    }
    let measurements: [Measurement]

    var isEachGoalMet: Bool { measurements.allSatisfy { $0.figures.values.allSatisfy { $0.met != false } } }
}
