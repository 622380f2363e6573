/// How a response's content is delivered.
public enum ResponseMode: Hashable, Sendable {
    /// Gathered in memory, up to a limit in bytes; past it the call fails with
    /// ``NetworkError/responseTooLarge``.
    case collect(upToBytes: Int)
    /// Streamed: the response is returned when its head has arrived, and its body is read once, as a sequence.
    ///
    /// Unread content is buffered up to a window, then the server is paused by flow control: 256 KiB over HTTP/1.1.
    /// Over HTTP/2 the window is that of the installed libcurl, 32 MiB in 7.88, because the other streams of the
    /// connection must continue. Use HTTP/1.1, the default, if many large bodies are read slowly. The connection is
    /// occupied until the body ends. Releasing the unread body, releasing its iterator or cancelling the reading task
    /// ends the exchange. A truncated body ends with an error. The response is never shared, and the call is never sent
    /// again after its head was returned.
    case stream

    /// 64 MiB.
    public static let `default` = ResponseMode.collect(upToBytes: 64 << 20)
}
