import OpenAPIGeneration

/// Shows the current step in the last line of a terminal. Prints nothing if standard error is not a terminal.
struct Progress {
    func show(_ text: String) {
        guard Terminal.isTerminal else { return }
        Terminal.errorRaw("\r\u{1B}[K" + PrintableText.oneLine(text))
    }

    func clear() {
        guard Terminal.isTerminal else { return }
        Terminal.errorRaw("\r\u{1B}[K")
    }
}
