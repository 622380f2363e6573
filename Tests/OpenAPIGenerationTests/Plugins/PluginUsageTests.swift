import Foundation
import Testing

/// How the command plugins find the targets of the build plugin, compiled here from their file.
@Suite struct PluginUsageTests {
    /// As `swift package dump-package` prints it.
    private static let manifest = """
        {"name": "App", "targets": [
          {"name": "Own", "pluginUsages": [{"plugin": ["GatewayOpenAPIPlugin", null]}], "type": "regular"},
          {"name": "Foreign", "pluginUsages": [
            {"plugin": ["Lint", "lint"]}, {"plugin": ["GatewayOpenAPIPlugin", "Gateway"]}]},
          {"name": "Lint", "pluginUsages": [{"plugin": ["Lint", "lint"]}]},
          {"name": "None", "pluginUsages": []}, {"name": "Old"}
        ]}
        """

    @Test func targetsOfTheBuildPluginAreFound() {
        let found = PluginUsage.targets(of: "GatewayOpenAPIPlugin", in: Data(Self.manifest.utf8))
        #expect(found == ["Own", "Foreign"])
    }

    @Test(arguments: ["", "{}", "{\"targets\": [{}]}"])
    func anotherFormatHasNone(text: String) {
        #expect(PluginUsage.targets(of: "GatewayOpenAPIPlugin", in: Data(text.utf8)).isEmpty)
    }
}
