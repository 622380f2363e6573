import GatewayCore

/// A body that a task produces while the loop sends it, with a buffer of limited size between them.
final class StreamUpload: UploadSource {
    private let machine: Locked<StreamUploadStateMachine<CheckedContinuation<Bool, Never>>>
    private let make: @Sendable () async throws -> HTTPBody.Chunks
    private let origin: Origin
    let length: Int64?

    init(length: Int64?, origin: Origin, _ make: @escaping @Sendable () async throws -> HTTPBody.Chunks) {
        self.length = length
        self.origin = origin
        self.make = make
        machine = Locked(StreamUploadStateMachine(length: length))
    }

    /// Produces the body in the calling task, after the loop has requested it.
    ///
    /// - Parameter wakeLoop: tells the loop that bytes are available, after a read that returned none.
    func produce(wakeLoop: @Sendable () -> Void) async {
        guard await isWanted() else { return }
        var failure: NetworkError?
        do {
            try await pull(from: make(), wakeLoop: wakeLoop)
        } catch let error as NetworkError {
            failure = error
        } catch {
            failure = NetworkError(
                .bodyFailed, "The stream of the request body failed: \(type(of: error)).", origin: origin,
                phase: .send,
                attempts: 1, mayHaveBeenSent: true, underlying: error)
        }
        if machine.withLock({ $0.end(failure) }) { wakeLoop() }
    }

    private func pull(
        from chunks: some AsyncSequence<HTTPBody.Chunk, any Error>, wakeLoop: @Sendable () -> Void
    ) async throws {
        for try await chunk in chunks {
            let (wakes, isTooLong) = machine.withLock { $0.produce(chunk) }
            guard !isTooLong else {
                throw NetworkError(
                    .bodyFailed, "The stream of the request body is longer than announced.", origin: origin,
                    phase: .send,
                    attempts: 1, mayHaveBeenSent: true)
            }
            if wakes { wakeLoop() }
            guard await hasRoom() else { return }
        }
    }

    /// Waits until the loop requests the body; `false` if the transfer has ended.
    private func isWanted() async -> Bool {
        await withCheckedContinuation { waiter in
            switch machine.withLock({ $0.awaitDemand(waiter) }) {
            case .proceed: waiter.resume(returning: true)
            case .stop: waiter.resume(returning: false)
            case .suspended: break
            }
        }
    }

    /// Waits while the buffer is full; `false` if the transfer has ended.
    private func hasRoom() async -> Bool {
        await withCheckedContinuation { waiter in
            switch machine.withLock({ $0.awaitRoom(waiter) }) {
            case .proceed: waiter.resume(returning: true)
            case .stop: waiter.resume(returning: false)
            case .suspended: break
            }
        }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> UploadRead {
        let (action, waiter) = machine.withLock { $0.read(atMost: buffer.count) }
        waiter?.resume(returning: true)
        switch action {
        case .copy(let chunk):
            unsafe chunk.withUnsafeBytes { unsafe buffer.copyMemory(from: $0) }
            return .bytes(chunk.count)
        case .pause: return .pause
        case .end: return .end
        case .fail(let error): return .failed(error)
        }
    }

    func close() { machine.withLock { $0.close() }?.resume(returning: false) }
}
