import GatewayCore

/// Sends batches to one destination, each with retries, as the protocol allows them.
struct OTLPSender: Sendable {
    /// The fields that say what a request has. They are no setting.
    static let ownFields: Set<HTTPField.Name> = [.contentType, .userAgent, "Content-Encoding"]
    private static let backoff = ExponentialBackoff(base: .seconds(1), longest: .seconds(10))

    private let request: HTTPRequest
    private let encoding: OTLPConfiguration.Encoding
    private let isCompressed: Bool
    private let timeout: Duration
    private let transport: any Transport
    let clock: any GatewayClock
    private let random: any RandomSource

    /// - Throws: ``NetworkError`` with the code `invalidURL` if the destination has no URL, or `invalidRequest` if a header field
    ///   is not valid.
    init(
        _ destination: OTLPConfiguration.Destination, transport: any Transport, clock: any GatewayClock,
        random: any RandomSource
    ) throws(NetworkError) {
        for field in destination.fields where Self.ownFields.contains(field.name) {
            throw NetworkError(
                .invalidRequest, "The exporter sets \(field.name) itself: remove it from the destination.")
        }
        var request = try HTTPRequest(.post, destination.url, fields: destination.fields)
        request.fields[.contentType] = destination.encoding.mediaType
        request.fields[.userAgent] = "OTel-OTLP-Exporter-Swift/\(LibraryVersion.text)"
        try request.validate()
        self.request = request
        encoding = destination.encoding
        isCompressed = destination.isCompressed
        timeout = destination.timeout
        self.transport = transport
        self.clock = clock
        self.random = random
    }

    /// Whether there is something to send with: an engine may provide it later.
    var hasTransport: Bool { (transport as? ProvidedTransport)?.isProvided ?? true }

    /// Sends a batch.
    ///
    /// - Parameter end: when the batch is given up.
    /// - Returns: ``OTLPDelivery/taken(rejected:)`` or ``OTLPDelivery/lost(_:)``, and the time before which the collector has asked
    ///   for no further request, if it has.
    func deliver(
        _ message: OTLPMessage, until end: Deadline
    ) async -> (OTLPDelivery, hold: ContinuousClock.Instant?) {
        var request = request
        let body = encoding == .protobuf ? message.protobuf : message.json
        guard body.count <= OTLPDelivery.requestLimit else { return (.lost(.tooLarge), nil) }
        if isCompressed, let compressed = Gzip.compressed(body) {
            request.fields["Content-Encoding"] = "gzip"
            request.body = .bytes(compressed)
        } else {
            request.body = .bytes(body)
        }
        var failures = 0
        while true {
            let delivery = await send(request, until: end)
            guard case .again(let asked, let failure) = delivery else { return (delivery, nil) }
            failures += 1
            let backoff = Self.backoff.delay(after: failures, chance: random.unit())
            let now = clock.now
            let (next, hold) = (now.adding(max(backoff, asked ?? .zero)), asked.map { now.adding($0) })
            guard next < end.instant else { return (.lost(failure), hold) }
            do { try await clock.sleep(until: next) } catch { return (.lost(failure), hold) }
        }
    }

    /// Makes one request. It has no credential of the application, no events and no trace of its own.
    private func send(_ request: HTTPRequest, until end: Deadline) async -> OTLPDelivery {
        var context = RequestContext(clock: clock).limited(to: min(end, .after(timeout, clock: clock)))
        context.response = .collect(upToBytes: OTLPDelivery.responseLimit)
        do throws(NetworkError) {
            let response = try await transport.send(request, context: context)
            let body = try await response.body.collect(upToBytes: OTLPDelivery.responseLimit)
            return OTLPDelivery(
                status: response.status, fields: response.fields, body: body, unixTime: clock.unixTime)
        } catch {
            return OTLPDelivery(error)
        }
    }
}
