internal import GatewayCore
public import GatewayJSON

/// Values that the server sends one after the other: server-sent events, or JSON Lines.
///
/// ```swift
/// for try await event in api.chat.createStream(body) { print(event) }
/// for try await event in api.chat.createStream(body).messages { save(event.id) }
/// ```
/// The call is made when the first value is asked for; giving up the iteration ends it. Every iteration is a call of its
/// own.
///
/// A value that is not what the document says is an error of that value, which names the event or line. A `for` loop ends
/// with it, as with every error; whoever holds the iterator may ask for the next value.
public struct EventStream<Event: JSONDecodable & Sendable, Documented: DocumentedFailure>: AsyncSequence,
    Sendable
{
    /// What the stream is of.
    public typealias Element = Event
    /// Why the stream ended.
    public typealias Failure = APIError<Documented>

    /// The same stream with types, ids and texts of the events, which are not read as JSON.
    public let messages: EventMessages<Documented>

    /// Makes the stream from its request.
    @_spi(Generated) public init(
        _ request: RequestBuilder, _ framing: StreamFraming, from first: Int, through last: Int
    ) {
        messages = EventMessages(request: request, framing: framing, first: first, last: last)
    }

    /// Starts a call.
    public func makeAsyncIterator() -> Iterator { Iterator(messages: messages.makeAsyncIterator()) }

    /// Walks over the values.
    public struct Iterator: AsyncIteratorProtocol {
        /// Why the stream ended.
        public typealias Failure = APIError<Documented>

        private var messages: EventMessages<Documented>.Iterator

        init(messages: EventMessages<Documented>.Iterator) { self.messages = messages }

        /// The next value; `nil` after the last, and after an error of the stream.
        ///
        /// - Throws: with the code `decodingFailed`, which event or line is not what the document says; the next call goes
        ///   on behind it.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(APIError<Documented>) -> Event? {
            guard let piece = try await messages.piece(isolation: actor) else { return nil }
            // Plain text is no JSON.
            if let text = piece.event.data as? Event { return text }
            do throws(JSONError) {
                return try Event(jsonBytes: piece.bytes)
            } catch {
                throw messages.undecodable(piece, error)
            }
        }
    }
}

/// The events of a stream as they are sent.
public struct EventMessages<Documented: DocumentedFailure>: AsyncSequence, Sendable {
    /// An event; of JSON Lines, one with a line as its data.
    public typealias Element = ServerSentEvent
    /// Why the stream ended.
    public typealias Failure = APIError<Documented>

    let request: RequestBuilder
    let framing: StreamFraming
    let first: Int
    let last: Int

    /// Starts a call.
    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// Walks over the events.
    public struct Iterator: AsyncIteratorProtocol {
        /// Why the stream ended.
        public typealias Failure = APIError<Documented>

        private enum State {
            case unsent
            case open(ResponseBody.Iterator, OperationReply)
            case ended
        }

        private let stream: EventMessages
        private var state = State.unsent
        private var cutter: StreamCutter
        private var waiting: [StreamCutter.Piece] = []
        private var position = 0

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
                case .unsent:
                    state = .ended
                    let reply = await stream.request.open(from: stream.first, through: stream.last)
                    let response: APIResponse<ResponseBody, UndocumentedHeaders> = try reply.stream(
                        Documented.self)
                    state = .open(response.value.makeAsyncIterator(), reply)
                case .open(var body, let reply):
                    state = .ended
                    do throws(NetworkError) {
                        if let chunk = try await body.next(isolation: actor) {
                            waiting = cutter.read(chunk)
                            guard cutter.heldBytes <= stream.request.responseLimit else {
                                throw NetworkError(
                                    .responseTooLarge,
                                    "An event or line of the stream is larger than the response limit.")
                            }
                            if !cutter.isOver { state = .open(body, reply) }
                        } else {
                            waiting = cutter.finish()
                        }
                    } catch {
                        throw reply.interrupted(error)
                    }
                }
            }
        }

        /// The error of a value that is not what the document says. The stream goes on.
        func undecodable(_ piece: StreamCutter.Piece, _ error: JSONError) -> APIError<Documented> {
            let place =
                switch stream.framing {
                case .events: "Event"
                case .lines: "Line"
                case .sequence: "Record"
                }
            let cause = NetworkError(
                .decodingFailed,
                "\(place) \(piece.number) of the stream is not what the document says: \(error)",
                mayHaveBeenSent: true, underlying: error)
            if case .open(_, let reply) = state { return reply.interrupted(cause) }
            return APIError(cause: cause, operation: "\(stream.request.operation.id)")
        }
    }
}
