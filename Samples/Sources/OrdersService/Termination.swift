import Dispatch
import Foundation

/// The end of the process by SIGTERM, from its creation on.
final class Termination {
    private let source = DispatchSource.makeSignalSource(signal: SIGTERM)
    private let signals: AsyncStream<Void>

    init() {
        signal(SIGTERM, SIG_IGN)
        let (signals, continuation) = AsyncStream.makeStream(of: Void.self)
        self.signals = signals
        source.setEventHandler { continuation.finish() }
        source.resume()
    }

    func wait() async { for await _ in signals {} }
}
