/// The version of this package, for what tells others of it: telemetry, and the commands.
package enum LibraryVersion {
    package static let text = "0.1.0-dev"
}
