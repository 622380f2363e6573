internal import GatewayCore
public import GatewayJSON

/// A stream of values: server-sent events, JSON Lines, or a JSON text sequence.
///
/// ```swift
/// for try await event in api.chat.createStream(body) { print(event) }
/// for try await event in api.chat.createStream(body).messages { save(event.id) }
/// ```
/// The call is made when the first value is requested, and ends when the iterator is released. Every iteration makes a
/// new call.
///
/// A value that does not match the document throws an error that has the number and the bytes of the event or line. A
/// `for` loop ends with this error, as with every error; an iterator can continue with the next value.
public struct EventStream<Event: JSONDecodable & Sendable, Documented: DocumentedFailure>: AsyncSequence,
    Sendable
{
    /// A value of the stream.
    public typealias Element = Event
    /// The error of the stream or of a value.
    public typealias Failure = APIError<Documented>

    /// The same stream as undecoded events, with their type, ID and data.
    public let messages: EventMessages<Documented>

    /// Creates the stream from its request.
    @_spi(Generated) public init(
        _ request: RequestBuilder, _ framing: StreamFraming, from first: Int, through last: Int
    ) {
        messages = EventMessages(request: request, framing: framing, first: first, last: last)
    }

    private init(messages: EventMessages<Documented>) { self.messages = messages }

    /// A stream that continues after the connection was lost; see ``EventMessages/resuming(_:)``.
    public func resuming(_ resumption: StreamResumption = StreamResumption()) -> EventStream {
        EventStream(messages: messages.resuming(resumption))
    }

    /// Creates an iterator, which makes its own call.
    public func makeAsyncIterator() -> Iterator { Iterator(messages: messages.makeAsyncIterator()) }

    /// Iterates over the values.
    public struct Iterator: AsyncIteratorProtocol {
        /// The error of the stream or of a value.
        public typealias Failure = APIError<Documented>

        private var messages: EventMessages<Documented>.Iterator

        init(messages: EventMessages<Documented>.Iterator) { self.messages = messages }

        /// The next value; `nil` after the last value and after an error of the stream.
        ///
        /// - Throws: ``APIError``. The code is `decodingFailed` for a value that does not match the document; the next
        ///   call then returns the value after it.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(APIError<Documented>) -> Event? {
            guard let piece = try await messages.piece(isolation: actor) else { return nil }
            // The data of an event can be plain text. A string in a JSON line is JSON.
            if messages.isText, let text = piece.event.data as? Event { return text }
            do throws(JSONError) {
                return try messages.decoding.value(Event.self, piece.bytes)
            } catch {
                throw messages.undecodable(piece, error)
            }
        }
    }
}

/// The events of a stream as sent by the server.
public struct EventMessages<Documented: DocumentedFailure>: AsyncSequence, Sendable {
    /// An event. For JSON Lines, its data is the line.
    public typealias Element = ServerSentEvent
    /// The error of the stream.
    public typealias Failure = APIError<Documented>

    let request: RequestBuilder
    let framing: StreamFraming
    let first: Int
    let last: Int
    private(set) var resumption: StreamResumption?

    init(request: RequestBuilder, framing: StreamFraming, first: Int, last: Int) {
        self.request = request
        self.framing = framing
        self.first = first
        self.last = last
    }

    /// A stream that continues after the connection was lost: the call is repeated, and the server continues after the
    /// last event.
    ///
    /// Only for server-sent events with IDs, and for operations that may be repeated. If the stream has no IDs and an
    /// event was received, or if it is not a stream of events, the error is thrown. The first call is not repeated if
    /// it fails. A stream that ended normally is continued only with ``StreamResumption/reconnectsAfterEnd``.
    public func resuming(_ resumption: StreamResumption = StreamResumption()) -> EventMessages {
        var copy = self
        copy.resumption = resumption
        return copy
    }

    /// Creates an iterator, which makes its own call.
    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// Iterates over the events.
    public struct Iterator: AsyncIteratorProtocol {
        /// The error of the stream.
        public typealias Failure = APIError<Documented>

        private enum State {
            case unsent
            case open(ResponseBody.Iterator)
            /// The error is thrown after the values that were received before it.
            case failed(NetworkError)
            /// The response has ended, and the call is repeated.
            case pausing
            case ended
        }

        private let stream: EventMessages
        private var state = State.unsent
        /// The response, for errors: values may remain after its end. It is stored by reference, as in
        /// ``GatewayCore/ResponseBody/Iterator``.
        private var reply: CopyOnWrite<OperationReply>?
        private var cutter: StreamCutter
        private var waiting: [StreamCutter.Piece] = []
        private var position = 0
        /// The number of consecutive failed calls since the last event.
        private var failures = 0
        /// Whether a response has ended normally, and no event came since.
        private var isAfterEnd = false

        /// Whether strings are sent without JSON encoding.
        var isText: Bool { stream.framing == .events }

        /// How values are decoded. The deadline of the call does not apply to a stream that has started.
        var decoding: BodyDecoding { stream.request.decoding(until: nil) }

        init(_ stream: EventMessages) {
            self.stream = stream
            cutter = StreamCutter(stream.framing)
        }

        /// The next event; `nil` after the last event and after an error.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(APIError<Documented>) -> ServerSentEvent? {
            try await piece(isolation: actor)?.event
        }

        mutating func piece(
            isolation actor: isolated (any Actor)?
        ) async throws(APIError<Documented>) -> StreamCutter.Piece? {
            while true {
                if position < waiting.count {
                    defer { position += 1 }
                    return waiting[position]
                }
                (waiting, position) = ([], 0)
                switch state {
                case .ended: return nil
                case .failed(let error):
                    state = .ended
                    try await resume(
                        after: (reply?.value ?? unanswered(error)).interrupted(error),
                        isolation: actor)
                case .unsent:
                    state = .ended
                    do throws(APIError<Documented>) {
                        try await open(isolation: actor)
                    } catch {
                        // The engine has already retried the first call.
                        guard reply != nil else { throw error }
                        try await resume(after: error, isolation: actor)
                    }
                case .pausing:
                    state = .ended
                    guard let resumption = stream.resumption, failures < resumption.attempts else {
                        return nil
                    }
                    try await wait(resumption, retryAfter: nil, isolation: actor)
                case .open(var body):
                    state = .ended
                    do throws(NetworkError) {
                        if let chunk = try await body.next(isolation: actor) {
                            waiting = cutter.read(chunk)
                            if !waiting.isEmpty { (failures, isAfterEnd) = (0, false) }
                            if cutter.isOver { continue }
                            state =
                                cutter.heldBytes <= stream.request.responseLimit
                                ? .open(body)
                                : .failed(
                                    NetworkError(
                                        .responseTooLarge,
                                        "An event or line of the stream is larger than the response limit."))
                        } else {
                            waiting = cutter.finish()
                            if reconnects {
                                isAfterEnd = true
                                state = .pausing
                            }
                        }
                    } catch {
                        state = .failed(error)
                    }
                }
            }
        }

        private mutating func open(isolation actor: isolated (any Actor)?) async throws(APIError<Documented>)
        {
            var request = stream.request
            let id = cutter.position.id
            if stream.resumption != nil, !id.isEmpty {
                request.fields["Last-Event-ID"] = id
                // The ID that the first call began with would replace it.
                request.options.fields["Last-Event-ID"] = nil
            }
            let reply = await request.open(from: stream.first, through: stream.last)
            // The server ends the reconnections (WHATWG HTML, section 9.2.3): the stream has ended.
            if reconnects, self.reply != nil, reply.status == 204 { return }
            let response: APIResponse<ResponseBody, UndocumentedHeaders> = try reply.stream(Documented.self)
            self.reply = CopyOnWrite(reply)
            state = .open(response.value.makeAsyncIterator())
        }

        /// Waits until the call can be repeated.
        ///
        /// - Throws: the given error if it cannot be repeated.
        private mutating func resume(
            after error: APIError<Documented>, isolation actor: isolated (any Actor)?
        ) async throws(APIError<Documented>) {
            let id = cutter.position.id
            guard let resumption = stream.resumption, stream.framing == .events, error.guidance == .retry,
                error.code != .responseTooLarge, !id.isEmpty || !cutter.hasValues || isAfterEnd,
                failures < resumption.attempts
            else { throw error }
            try await wait(resumption, retryAfter: error.retryAfter, isolation: actor)
        }

        /// Whether the call is repeated after a response that ended normally.
        private var reconnects: Bool {
            stream.framing == .events && stream.resumption?.reconnectsAfterEnd == true
        }

        /// Waits for the time of the next call.
        private mutating func wait(
            _ resumption: StreamResumption, retryAfter: Duration?, isolation actor: isolated (any Actor)?
        ) async throws(APIError<Documented>) {
            failures += 1
            let client = stream.request.client
            let delay = resumption.wait(
                client.random.unit(), afterFailures: failures, retry: cutter.position.retry,
                retryAfter: retryAfter)
            let (clock, cancelled) = (client.services.clock, Self.cancelled)
            let end = clock.now.adding(delay)
            do throws(NetworkError) {
                try await client.services.parts.waiting("the stream waited for its next call") {
                    () async throws(NetworkError) in
                    do { try await clock.sleep(until: end) } catch { throw cancelled }
                }
            } catch { throw unanswered(error).interrupted(error) }
            cutter.resume()
            state = .unsent
        }

        /// The outcome of a call without a response, with the ID of the last call.
        private func unanswered(_ error: NetworkError) -> OperationReply {
            stream.request.reply(.failure(error), reply?.value.call.id ?? 0)
        }

        private static var cancelled: NetworkError {
            NetworkError(.cancelled, "The task was cancelled while the stream waited for its next call.")
        }

        /// The error of a value that does not match the document. The stream can continue.
        func undecodable(_ piece: StreamCutter.Piece, _ error: JSONError) -> APIError<Documented> {
            let kind =
                switch stream.framing {
                case .events: "Event"
                case .lines: "Line"
                case .sequence: "Record"
                }
            // There is always a response when there is a value.
            let reply = reply?.value ?? unanswered(NetworkError(.other, "There is no response."))
            return reply.undecodable("\(kind) \(piece.number) of the stream", piece.bytes, error)
        }
    }
}
