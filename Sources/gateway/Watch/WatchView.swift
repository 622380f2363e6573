import GatewayClient

/// The text of the frames of a dashboard: a screen that is drawn again on a terminal, otherwise a line for each frame and each
/// change.
struct WatchView {
    private let isTerminal: Bool
    private var start: Double = 0
    /// The time of the latest line of the log that was printed.
    private var latestLog = -1.0
    /// Severity and subject of the problems of the latest frame.
    private var problems: Set<String> = []
    /// Whether there is a screen to draw again.
    private(set) var hasDrawn = false
    /// Whether a stream has begun.
    private(set) var hasBegun = false

    init(isTerminal: Bool) { self.isTerminal = isTerminal }

    /// What is printed of an event; `nil` if it is nothing.
    mutating func text(
        for event: WatchedEvents.Event, size: @autoclosure () -> (columns: Int, rows: Int)
    ) -> String? {
        switch event.name {
        case "hello":
            let known = start
            start = event.value["start_unix_ms"]?.double ?? 0
            // Another run of the program begins at 0 again.
            if start != known { (latestLog, problems) = (-1, []) }
            hasBegun = true
            return nil
        case "frame": return isTerminal ? screen(event.value, size()) : lines(event.value)
        default: return nil
        }
    }

    /// What is printed at the end: what follows begins a line.
    var end: String { hasDrawn ? "\n" : "" }

    // MARK: Lines

    private mutating func lines(_ frame: JSONValue) -> String {
        let time = clock(frame["now_ms"]?.double ?? 0)
        // What the program names may contain line feeds: each line is made printable by itself.
        var lines = ["\(time) \(WatchFrame.summary(frame).joined(separator: ", "))"]
        // Their figures change each second; a line is printed of those that are new.
        var current: Set<String> = []
        for problem in frame["problems"]?.array ?? [] {
            let severity = problem["severity"]?.string ?? ""
            let about = problem["about"]
            let key = [severity, about?["kind"]?.string ?? "", about?["name"]?.string ?? ""].joined(
                separator: " ")
            if !current.contains(key), !problems.contains(key) {
                lines.append("\(time) \(severity): \(problem["text"]?.string ?? "")")
            }
            current.insert(key)
        }
        problems = current
        for line in frame["log"]?.array ?? [] {
            guard let at = line["t"]?.double, at > latestLog else { continue }
            latestLog = at
            lines.append("\(clock(at)) log: \(line["text"]?.string ?? "")")
        }
        return lines.map { Console.printable($0) + "\n" }.joined()
    }

    /// The time of the day in UTC.
    private func clock(_ milliseconds: Double) -> String {
        let unix = start + milliseconds
        guard unix.isFinite, unix >= 0, unix < 1e15 else { return "00:00:00" }
        let seconds = Int(unix / 1_000) % 86_400
        return [seconds / 3_600, seconds / 60 % 60, seconds % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
            .joined(separator: ":")
    }

    // MARK: The screen

    /// Draws a line in place of the first one. The cursor stays below the screen.
    func notice(_ text: String, size: (columns: Int, rows: Int)) -> String {
        "\u{1B}7\u{1B}[H\u{1B}[2K" + TerminalText.cut(text, to: size.columns) + "\u{1B}8"
    }

    private mutating func screen(_ frame: JSONValue, _ size: (columns: Int, rows: Int)) -> String {
        var parts = WatchFrame.summary(frame)
        parts[0] = clock(frame["now_ms"]?.double ?? 0) + "  " + parts[0]
        for index in parts.indices.dropLast() { parts[index] += "," }
        let head = TerminalText.wrap(parts, to: size.columns)
        let lines = head + [""] + WatchFrame.sections(frame, columns: size.columns)
        // The cursor goes to the corner, and each line is cleared before it is written: at the last column, clearing the rest would
        // clear a character. The cursor is not hidden: nothing has to be restored, however the command is stopped.
        var text = hasDrawn ? "\u{1B}[H" : "\u{1B}[2J\u{1B}[H"
        hasDrawn = true
        for (index, line) in lines.prefix(max(1, size.rows - 1)).enumerated() {
            let isBold = index < head.count && Console.showsColour
            text += "\u{1B}[2K" + (isBold ? "\u{1B}[1m\(line)\u{1B}[0m" : line) + "\n"
        }
        return text + "\u{1B}[J"
    }
}
