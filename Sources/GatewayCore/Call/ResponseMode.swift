/// How a response's content is delivered.
public enum ResponseMode: Hashable, Sendable {
    /// Gathered in memory, up to a limit in bytes; past it the call fails with
    /// ``NetworkError/responseTooLarge``.
    case collect(upToBytes: Int)

    /// 8 MiB: larger than JSON should be, small enough for thousands at once.
    public static let `default` = ResponseMode.collect(upToBytes: 8 << 20)
}
