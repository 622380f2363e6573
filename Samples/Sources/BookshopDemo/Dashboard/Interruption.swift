import Dispatch
import Foundation

/// SIGINT and SIGTERM.
enum Interruption {
    /// A sequence that ends with the first signal. The second one ends the process.
    static func sequence() -> AsyncStream<Never> {
        let (sequence, continuation) = AsyncStream.makeStream(of: Never.self)
        for number in [SIGINT, SIGTERM] {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler {
                source.cancel()
                signal(number, SIG_DFL)
                continuation.finish()
            }
            source.resume()
        }
        return sequence
    }
}
