import GatewayCore

extension JSONLogSink {
    /// Writes bytes to standard error and returns when they are written. What cannot be written, as after the other end was
    /// closed, is left out.
    public static func writeToStandardError(_ bytes: [UInt8]) {
        try? FileBytes.writeAllToPipe(bytes[...], 2)
    }
}
