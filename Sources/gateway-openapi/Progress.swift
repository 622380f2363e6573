import OpenAPIGeneration

/// What is going on, in the last line of a terminal; nothing anywhere else.
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
