/// How a response's content is delivered.
public enum ResponseMode: Hashable, Sendable {
    /// Gathered in memory, up to a limit in bytes; past it the call fails with
    /// ``NetworkError/responseTooLarge``.
    case collect(upToBytes: Int)
    /// Streamed: the response is returned when its head has arrived, and its body is read once, as a sequence.
    ///
    /// What is not read yet is held up to a window and then left with the server: 256 KiB over HTTP/1.1. Over HTTP/2
    /// the window is that of the installed libcurl, 32 MiB in 7.88, since the other streams of the connection must go
    /// on. Use HTTP/1.1, the default, if many large bodies are read slowly. The connection is taken until the body
    /// ends; leaving the body unread, giving up its iterator or cancelling the task that reads ends the exchange. A
    /// body that is cut off ends with an error. The answer is never shared, and the call never sent again once its head
    /// was returned.
    case stream

    /// 64 MiB.
    public static let `default` = ResponseMode.collect(upToBytes: 64 << 20)
}
