internal import GatewayCore
public import GatewayJSON

/// Values that the server sends one after another: server-sent events, JSON Lines, or a JSON text sequence.
///
/// ```swift
/// for try await event in api.chat.createStream(body) { print(event) }
/// for try await event in api.chat.createStream(body).messages { save(event.id) }
/// ```
/// The call is made when the first value is requested, and ends when the iterator is released. Every iteration makes a new
/// call.
///
/// A value that does not match the document throws an error that names the event or line, and keeps its bytes. A `for`
/// loop ends with it, as with every error; an iterator can be asked for the next value.
public struct EventStream<Event: JSONDecodable & Sendable, Documented: DocumentedFailure>: AsyncSequence,
    Sendable
{
    /// A value of the stream.
    public typealias Element = Event
    /// The error of the stream or of a value.
    public typealias Failure = APIError<Documented>

    /// The same stream with types, IDs and texts of the events, which are not decoded.
    public let messages: EventMessages<Documented>

    /// Makes the stream from its request.
    @_spi(Generated) public init(
        _ request: RequestBuilder, _ framing: StreamFraming, from first: Int, through last: Int
    ) {
        messages = EventMessages(request: request, framing: framing, first: first, last: last)
    }

    private init(messages: EventMessages<Documented>) { self.messages = messages }

    /// The same stream, which goes on after its connection was lost. See ``EventMessages/resuming(_:)``.
    public func resuming(_ resumption: StreamResumption = StreamResumption()) -> EventStream {
        EventStream(messages: messages.resuming(resumption))
    }

    /// Starts a call.
    public func makeAsyncIterator() -> Iterator { Iterator(messages: messages.makeAsyncIterator()) }

    /// Iterates over the values.
    public struct Iterator: AsyncIteratorProtocol {
        /// The error of the stream or of a value.
        public typealias Failure = APIError<Documented>

        private var messages: EventMessages<Documented>.Iterator

        init(messages: EventMessages<Documented>.Iterator) { self.messages = messages }

        /// The next value; `nil` after the last, and after an error of the stream.
        ///
        /// - Throws: ``APIError``, with the code `decodingFailed` for a value that does not match the document; the next
        ///   call continues behind that value.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(APIError<Documented>) -> Event? {
            guard let piece = try await messages.piece(isolation: actor) else { return nil }
            // The data of an event may be plain text; a string on a line is JSON.
            if messages.isText, let text = piece.event.data as? Event { return text }
            do throws(JSONError) {
                return try messages.decoding.value(Event.self, piece.bytes)
            } catch {
                throw messages.undecodable(piece, error)
            }
        }
    }
}

/// The events of a stream as the server sends them.
public struct EventMessages<Documented: DocumentedFailure>: AsyncSequence, Sendable {
    /// An event; for JSON Lines, its data is the line.
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

    /// The same stream, which goes on after its connection was lost: the call is made again, and the server continues after the
    /// last event.
    ///
    /// This is for server-sent events with IDs, and for operations that may be called again. A stream without IDs throws the
    /// error if an event came before; other streams than those of events throw it always. A first call that fails is not
    /// made again, nor is one whose stream has ended as it should.
    public func resuming(_ resumption: StreamResumption = StreamResumption()) -> EventMessages {
        var copy = self
        copy.resumption = resumption
        return copy
    }

    /// Starts a call.
    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// Iterates over the events.
    public struct Iterator: AsyncIteratorProtocol {
        /// The error of the stream.
        public typealias Failure = APIError<Documented>

        private enum State {
            case unsent
            case open(ResponseBody.Iterator)
            /// The error is thrown after the values that came before it.
            case failed(NetworkError)
            case ended
        }

        private let stream: EventMessages
        private var state = State.unsent
        /// The response, for errors: values may be waiting after its end. It is held by reference, as
        /// ``GatewayCore/ResponseBody/Iterator`` holds its stream.
        private var reply: CopyOnWrite<OperationReply>?
        private var cutter: StreamCutter
        private var waiting: [StreamCutter.Piece] = []
        private var position = 0
        /// How many calls have failed in a row since the last event.
        private var failures = 0

        /// Whether strings are sent as they are.
        var isText: Bool { stream.framing == .events }

        /// How values are decoded. The deadline of the call does not end a stream that has begun.
        var decoding: BodyDecoding { stream.request.decoding(until: nil) }

        init(_ stream: EventMessages) {
            self.stream = stream
            cutter = StreamCutter(stream.framing)
        }

        /// The next event; `nil` after the last, and after an error.
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
                        after: (reply?.value ?? stream.request.reply(.failure(error))).interrupted(error),
                        isolation: actor)
                case .unsent:
                    state = .ended
                    do throws(APIError<Documented>) {
                        try await open(isolation: actor)
                    } catch {
                        // The engine has repeated the first call already.
                        guard reply != nil else { throw error }
                        try await resume(after: error, isolation: actor)
                    }
                case .open(var body):
                    state = .ended
                    do throws(NetworkError) {
                        if let chunk = try await body.next(isolation: actor) {
                            waiting = cutter.read(chunk)
                            if !waiting.isEmpty { failures = 0 }
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
            if stream.resumption != nil, !id.isEmpty { request.fields["Last-Event-ID"] = id }
            let reply = await request.open(from: stream.first, through: stream.last)
            let response: APIResponse<ResponseBody, UndocumentedHeaders> = try reply.stream(Documented.self)
            self.reply = CopyOnWrite(reply)
            state = .open(response.value.makeAsyncIterator())
        }

        /// Waits until the call can be made again.
        ///
        /// - Throws: the error, if it cannot.
        private mutating func resume(
            after error: APIError<Documented>, isolation actor: isolated (any Actor)?
        ) async throws(APIError<Documented>) {
            let (id, retry) = cutter.position
            guard let resumption = stream.resumption, stream.framing == .events, error.guidance == .retry,
                error.code != .responseTooLarge, !id.isEmpty || !cutter.hasValues,
                failures < resumption.attempts
            else { throw error }
            failures += 1
            let client = stream.request.client
            let delay = resumption.wait(
                client.random.unit(), afterFailures: failures, retry: retry, retryAfter: error.retryAfter)
            do throws(CancellationError) {
                try await client.engine.clock.sleep(until: client.engine.clock.now.adding(delay))
            } catch { throw stream.request.reply(.failure(Self.cancelled)).interrupted(Self.cancelled) }
            cutter.resume()
            state = .unsent
        }

        private static var cancelled: NetworkError {
            NetworkError(.cancelled, "The task was cancelled while the stream waited for its next call.")
        }

        /// The error of a value that does not match the document. The stream continues.
        func undecodable(_ piece: StreamCutter.Piece, _ error: JSONError) -> APIError<Documented> {
            let kind =
                switch stream.framing {
                case .events: "Event"
                case .lines: "Line"
                case .sequence: "Record"
                }
            // Every value comes from a response.
            let reply =
                reply?.value ?? stream.request.reply(.failure(NetworkError(.other, "There is no response.")))
            return reply.undecodable("\(kind) \(piece.number) of the stream", piece.bytes, error)
        }
    }
}
