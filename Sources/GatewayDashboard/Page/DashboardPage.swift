/// The page of the dashboard: HTML, style and script without a file or request beside it but the stream.
///
/// It has one `style` and one `script` element without attributes, so that a content security policy can name their
/// hashes. The script creates elements and sets text; it does not parse HTML. Lines are served without their comments, and
/// are not indented.
package enum DashboardPage {
    /// The HTML of the page.
    package static let html = [
        "<!doctype html>\n<html lang=en>\n<head>\n<meta charset=utf-8>",
        "<meta name=viewport content=\"width=device-width, initial-scale=1\">",
        "<title>Gateway dashboard</title>\n<link rel=icon href=data:,>\n<style>",
        style.split(separator: "\n").joined(),
        "</style>\n</head>\n<body>",
        structure,
        "<script>",
        basics,
        state,
        grid,
        canvas,
        charts,
        lanes,
        operations,
        calls,
        waterfall,
        detail,
        sections,
        keyboard,
        stream,
        "</script>\n</body>\n</html>\n",
    ].joined(separator: "\n").split(separator: "\n").filter { !$0.hasPrefix("//") }.map(served).joined()

    /// A line without its end where no statement ends.
    private static func served(_ line: Substring) -> String {
        ";{,>".contains(line.suffix(1)) ? String(line) : "\(line)\n"
    }
}
