import GatewayClient

/// The version that `--version` prints.
enum Version {
    static let text = LibraryVersion.text
}
