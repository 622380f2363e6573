import Foundation

/// The plugins of targets in the output of `swift package dump-package`. A test compiles this file too.
struct PluginUsage: Decodable {
    struct Target: Decodable {
        struct Usage: Decodable {
            /// The name of the plugin and of its package.
            let plugin: [String?]
        }

        let name: String
        let pluginUsages: [Usage]?
    }

    let targets: [Target]

    /// The targets that use a plugin. Empty if the text cannot be read.
    static func targets(of plugin: String, in manifest: Data) -> Set<String> {
        guard let usage = try? JSONDecoder().decode(PluginUsage.self, from: manifest) else { return [] }
        let users = usage.targets.filter { target in
            (target.pluginUsages ?? []).contains { $0.plugin.first == plugin }
        }
        return Set(users.map(\.name))
    }
}
