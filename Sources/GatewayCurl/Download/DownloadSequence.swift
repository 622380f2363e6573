import GatewayCore

/// The chunks of a streamed response. The exchange ends when the sequence and its iterator are released.
final class DownloadSequence: AsyncSequence, Sendable {
    typealias Element = HTTPBody.Chunk
    typealias Failure = any Error

    /// Ends the exchange when it is released.
    final class Reader: Sendable {
        private let transfer: Transfer
        private let download: Download
        private let inbox: Inbox
        /// Keeps the transport alive while its streams are read.
        private let transport: CurlTransport

        init(_ transfer: Transfer, _ download: Download, inbox: Inbox, transport: CurlTransport) {
            self.transfer = transfer
            self.download = download
            self.inbox = inbox
            self.transport = transport
        }

        deinit {
            let (inbox, transfer) = (inbox, transfer)
            download.giveUp { _ = inbox.post(.cancel(transfer)) }
        }

        func next() async -> Result<HTTPBody.Chunk?, NetworkError> {
            let (inbox, transfer) = (inbox, transfer)
            return await download.next {
                _ = inbox.post(.resumeDownload(transfer))
            } abandon: {
                _ = inbox.post(.cancel(transfer))
            }
        }
    }

    struct Iterator: AsyncIteratorProtocol {
        /// The reader; `nil` for a second iterator.
        let reader: Reader?

        mutating func next() async throws -> HTTPBody.Chunk? {
            try await next(isolation: nil)
        }

        mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> HTTPBody.Chunk?
        {
            guard let reader else {
                throw NetworkError(
                    .invalidRequest,
                    "The response stream can be iterated only once: collect it to read it again.")
            }
            return try await reader.next().get()
        }
    }

    private let reader: OneShot<Reader>

    init(_ reader: Reader) { self.reader = OneShot(reader) }

    func makeAsyncIterator() -> Iterator { Iterator(reader: reader.take()) }
}
