import GatewayCore
import Testing

@testable import GatewayDashboard

@Suite struct ServedPageTests {
    @Test func theHashIsThatOfTheContent() {
        let page = ServedPage("<style>a{}</style><p>x</p><script>\"use strict\";\nlet x = 1;</script>")
        // printf '"use strict";\nlet x = 1;' | openssl dgst -sha256 -binary | base64
        #expect(page.policy.contains("script-src 'sha256-A3BbGv3mc4QvDkq8nF2jVrWX13diQ1GVOnMK6rVUNHo='"))
        #expect(page.policy.contains("style-src 'sha256-X1RutGBrXCt9KkSaXMK7tHftWiRscFHOhxsS8tv8hBk='"))
        #expect(ServedPage("<p>nothing</p>").policy.contains("script-src 'none'; style-src 'none'"))
    }

    @Test func thePageNeedsNothingElse() throws {
        let html = DashboardPage.html
        #expect(html.utf8.count <= 60 << 10)
        #expect(html.ranges(of: "<script>").count == 1 && html.ranges(of: "<style>").count == 1)
        #expect(html.ranges(of: "<script").count == 1 && html.ranges(of: "<style").count == 1)
        for part in [
            "http://", "https://", "innerHTML", "insertAdjacentHTML", "document.write", "eval(", " style=\"",
            "@import",
        ] {
            // The namespace of SVG is a name and is not fetched.
            let text = html.replacing("http://www.w3.org/2000/svg", with: "")
            #expect(!text.contains(part), "\(part)")
        }
        #expect(html.firstMatch(of: #/<[^>]*\son[a-z]+\s*=/#) == nil)
    }
}
