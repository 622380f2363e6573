import GatewayClient

/// `gateway call`: makes a call and prints the body of its answer.
@MainActor
struct CallCommand {
    private let arguments: CallArguments

    init(_ arguments: CallArguments) { self.arguments = arguments }

    /// Makes the call.
    ///
    /// - Returns: the exit status.
    func run() async throws -> Int32 {
        let session = try Session(
            isVerbose: arguments.isVerbose, retries: arguments.retries,
            explaining: arguments.explains ? arguments : nil, isTraced: true)
        defer { session.timeline?.finish() }
        let status: Int32
        do { status = try await run(session) } catch {
            await session.telemetry?.finish()
            throw error
        }
        await session.telemetry?.finish()
        return status
    }

    private func run(_ session: Session) async throws -> Int32 {
        var request = try self.request(session.environment)
        if session.environment.tokenKey != nil, !session.environment.origins.contains(request.origin) {
            Console.complain(
                "no credential is sent to \(request.origin): it is not the origin of GATEWAY_BASE_URL, and not in "
                    + "GATEWAY_ORIGINS")
        }
        try OutputFile.check(arguments.output)
        request.body = try await body()
        let engine = try engine(session)
        let clock = ContinuousClock()
        let start = clock.now
        session.timeline?.note("\(request)")
        session.explanation?.begin(request)
        var context = RequestContext(options: arguments.options)
        context.response = .stream
        session.telemetry?.apply(to: &context)
        let response: HTTPResponse
        do { response = try await engine.send(request, context: context) } catch {
            await session.finishEndedLogins()
            throw error
        }
        if let position = response.exchange.span?.position ?? context.trace {
            session.timeline?.note("trace \(position.traceID)")
        }
        let count: Int64
        do { count = try await take(response) } catch {
            await session.settle()
            throw error
        }
        session.timeline?.note(
            "\(response.status) after \(response.exchange.attempts) "
                + (response.exchange.attempts == 1 ? "attempt" : "attempts")
                + ", \(count) bytes in \(Timeline.text(start.duration(to: clock.now)))")
        await session.settle()
        guard response.status < 400 else {
            let environment = session.environment
            let hasCredential = environment.tokenKey != nil
            let advice = Advice.about(
                response, hasCredential: hasCredential,
                isCredentialSent: hasCredential && environment.origins.contains(request.origin),
                missingScopes: session.notes.missingScopes)
            Console.complain(
                lines: ["the response has the status \(response.status)"] + (advice.map { [$0] } ?? []))
            return ExitStatus.refused
        }
        return ExitStatus.success
    }

    // MARK: The request

    private func request(_ environment: GatewayEnvironment) throws -> HTTPRequest {
        var request = HTTPRequest(
            method: arguments.method, origin: try url(environment).origin, target: try url(environment).target
        )
        if let path = arguments.fieldFile {
            for field in try HeaderFile.read(path) { request.fields.append(field) }
        }
        for field in arguments.fields { request.fields.append(field) }
        if case .none = arguments.content {
        } else if !request.fields.contains(.contentType) {
            request.fields[.contentType] = "application/json"
        }
        request.apply(arguments.options)
        try request.validate()
        return request
    }

    private func url(_ environment: GatewayEnvironment) throws -> ParsedURL {
        guard arguments.url.hasPrefix("/") else {
            guard arguments.url.contains("://") else {
                throw CommandFailure(
                    ExitStatus.usage,
                    "the URL has no scheme: write https://…, or /… for a URL relative to GATEWAY_BASE_URL")
            }
            return try ParsedURL(arguments.url)
        }
        guard let base = environment.baseURL else {
            throw CommandFailure(
                ExitStatus.usage, "a URL that begins with / is relative to GATEWAY_BASE_URL, which is not set"
            )
        }
        let path = base.target.hasSuffix("/") ? String(base.target.dropLast()) : base.target
        return try ParsedURL("\(base.origin)\(path)\(arguments.url)")
    }

    private func body() async throws -> HTTPBody {
        switch arguments.content {
        case .none: return .empty
        case .text(let text): return .text(text)
        case .standardInput: return try await StandardInput.body()
        case .file(let path):
            guard SecretFile.isReadable(path) else {
                throw CommandFailure(ExitStatus.usage, "the file for --data-file cannot be read")
            }
            return .file(path)
        }
    }

    /// The engine of the session, with a fallback if there is a file for it.
    private func engine(_ session: Session) throws -> any RequestEngine {
        guard let path = arguments.fallbackFile else { return session.engine }
        let content = try FallbackFile.read(path)
        return FallbackEngine(
            below: session.engine,
            steps: [
                .init("the fallback file") { (request, _, _) throws(NetworkError) in
                    HTTPResponse(
                        status: 200, body: .bytes(content),
                        exchange: Exchange(origin: request.origin, attempts: 0))
                }
            ]
        ) { _, error in
            Console.complain("the call failed, the fallback file is used: \(error)")
        }
    }

    // MARK: The answer

    /// Hands the answer on as it comes.
    ///
    /// - Returns: how many bytes its body has.
    private func take(_ response: HTTPResponse) async throws -> Int64 {
        if arguments.includesHead { try Console.print(Self.head(of: response)) }
        if let output = arguments.output, response.status < 400 {
            return try await OutputFile.write(response.body, to: output)
        }
        var count: Int64 = 0
        var last: UInt8?
        for try await chunk in response.body {
            count += Int64(chunk.count)
            last = chunk.last
            try Console.write(chunk)
        }
        // What follows on a terminal begins a line. A file or a pipe gets the body and nothing else.
        if let last, last != UInt8(ascii: "\n"), Console.isTerminal { try Console.print("\n") }
        return count
    }

    /// Status and fields, without cookies and tokens.
    private static func head(of response: HTTPResponse) -> String {
        var head = "HTTP \(response.status)\n"
        for field in response.fields {
            let value = field.name.namesCredential ? "<redacted>" : field.value
            head += Console.printable("\(field.name): \(value)") + "\n"
        }
        return head + "\n"
    }
}
