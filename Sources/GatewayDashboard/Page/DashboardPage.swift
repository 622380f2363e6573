/// The page. Its style and its script are in it: it needs nothing else.
package enum DashboardPage {
    /// The document, with exactly one `<style>` and one `<script>`, both without attributes.
    package static let html: String = #"""
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <title>Calls</title>
        <style>body { font: 1rem sans-serif; }</style>
        </head>
        <body>
        <p id="sentence" role="status"></p>
        <script>
        const stream = new EventSource("stream");
        stream.addEventListener("frame", event => {
            document.getElementById("sentence").textContent = JSON.parse(event.data).sentence.text;
        });
        </script>
        </body>
        </html>
        """#
}
