import Dispatch
import GatewayClient
import GatewayLibC

/// Standard input, read on a thread of its own, so that whoever waits for it can be cancelled.
final class StandardInput: Sendable {
    private typealias Reader = CheckedContinuation<[UInt8], any Error>

    private let queue = DispatchQueue(label: "standard input")
    private let waiting = Locked<Reader?>(nil)

    /// What has come; empty at the end. One at a time.
    func read() async throws -> [UInt8] {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                waiting.withLock { $0 = continuation }
                if Task.isCancelled { return give(.failure(CancellationError())) }
                queue.async { self.give(Self.readNow()) }
            }
        } onCancel: {
            give(.failure(CancellationError()))
        }
    }

    private func give(_ result: Result<[UInt8], any Error>) {
        let reader = waiting.withLock { reader in
            defer { reader = nil }
            return reader
        }
        reader?.resume(with: result)
    }

    private static func readNow() -> Result<[UInt8], any Error> {
        do throws(SystemFailure) {
            return .success(try FileBytes.readPart(of: STDIN_FILENO, upToBytes: 64 << 10))
        } catch {
            return .failure(
                CommandFailure(ExitStatus.usage, "standard input cannot be read (errno \(error.code))"))
        }
    }
}

extension StandardInput {
    /// What is no larger is kept, so that it can be sent again.
    private static let keptBytes = 1 << 20

    /// All of it as the content of a request: sent while it is read where it is large.
    static func body() async throws -> HTTPBody {
        let input = StandardInput()
        var bytes: [UInt8] = []
        while bytes.count <= keptBytes {
            let part = try await input.read()
            if part.isEmpty { return .bytes(bytes) }
            bytes += part
        }
        return .once(Rest(first: bytes, input: input))
    }

    /// What was read already, and then the rest.
    private struct Rest: AsyncSequence, Sendable {
        let first: [UInt8]
        let input: StandardInput

        struct Iterator: AsyncIteratorProtocol {
            var first: [UInt8]?
            let input: StandardInput

            mutating func next() async throws -> HTTPBody.Chunk? {
                if let bytes = first {
                    first = nil
                    return bytes[...]
                }
                let part = try await input.read()
                return part.isEmpty ? nil : part[...]
            }
        }

        func makeAsyncIterator() -> Iterator { Iterator(first: first, input: input) }
    }
}
