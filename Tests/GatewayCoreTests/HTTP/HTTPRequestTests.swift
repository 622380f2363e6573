import GatewayCore
import Testing

@Suite struct HTTPRequestTests {
    private func request() throws -> HTTPRequest { try HTTPRequest(.get, "http://h/x") }

    @Test(arguments: ["GET\r\nX: y", "", "GE T", "GET\0", "GÉT"])
    func aMethodIsAToken(method: String) throws {
        var request = try request()
        request.method = HTTPMethod(method)
        let error = #expect(throws: NetworkError.self) { try request.validate() }
        #expect(error?.code == .invalidRequest)
    }

    @Test(arguments: [
        ("X", "a\r\nEvil: 1"), ("X", "a\nb"), ("X", "a\0"), ("X\r\n", "a"), ("", "a"), ("X Y", "a"),
    ])
    func fieldsHoldNoControls(name: String, value: String) throws {
        var request = try request()
        request.fields.append(HTTPField.Name(name), value)
        let error = #expect(throws: NetworkError.self) { try request.validate() }
        #expect(error?.code == .invalidRequest)
    }

    @Test(arguments: ["x", "/a b", "/a\r\n", "/a#b", "/\0", "", "http://other/"])
    func aTargetIsInOriginForm(target: String) throws {
        var request = try request()
        request.target = target
        #expect(throws: NetworkError.self) { try request.validate() }
    }

    @Test(arguments: [HTTPField.Name.host, .contentLength, .transferEncoding])
    func framingIsTheTransports(name: HTTPField.Name) throws {
        var request = try request()
        request.fields[name] = "1"
        #expect(throws: NetworkError.self) { try request.validate() }
    }

    /// It would make a request repeatable that the server cannot recognize.
    @Test(arguments: ["", " ", " \t "]) func anEmptyIdempotencyKeyIsRefused(key: String) throws {
        var request = try request()
        request.apply(CallOptions(idempotencyKey: key))
        #expect { try request.validate() } throws: { error in
            (error as? NetworkError)?.code == .invalidRequest
                && "\(error)".contains("Idempotency-Key")
        }
        request.apply(CallOptions(idempotencyKey: "k"))
        try request.validate()
        request.fields["X-Empty"] = key
        try request.validate()
    }

    @Test func aChangedRequestIsValidatedAgain() throws {
        func isRefused(_ change: (inout HTTPRequest) -> Void) throws -> Bool {
            let valid = try request()
            try valid.validate()
            var changed = valid
            change(&changed)
            try valid.validate()
            do { try changed.validate() } catch { return true }
            return false
        }
        #expect(try isRefused { $0.method = HTTPMethod("G T") })
        #expect(try isRefused { $0.target = "x" })
        #expect(try isRefused { $0.fields["X"] = "a\n" })
        #expect(try isRefused { $0.setField("X", "a\n") })
        #expect(try isRefused { $0.setField(.host, "h") })
        #expect(
            try isRefused {
                $0.setField("X", "a\n")
                $0.setField("Y", "b")
            })
        #expect(
            try isRefused {
                $0.method = .trace
                $0.setField("Y", "b")
                $0.body = .bytes([1])
            })
        #expect(try !isRefused { $0.setField("X", "a") })
        #expect(try !isRefused { $0.fields["X"] = "a" })
    }

    @Test func fieldNamesCompareWithoutCase() {
        var fields: HTTPFields = ["content-TYPE": "a", "Accept": "b", "Content-Type": "c"]
        #expect(fields[.contentType] == "a, c")
        #expect(fields.values(for: "CONTENT-type") == ["a", "c"])
        fields[.contentType] = "d"
        #expect(fields.count == 2)
        #expect(fields[0] == HTTPField("content-type", "d"))
        fields[.contentType] = nil
        #expect(fields.count == 1)
        #expect(Set([HTTPField.Name("A"), HTTPField.Name("a")]).count == 1)
    }

    @Test func optionsAreAppliedOverTheRequest() throws {
        var request = try request()
        request.fields = ["X-A": "1", "X-B": "2"]
        var options = CallOptions(idempotencyKey: "k", fields: ["x-a": "3"])
        options.fields.append("X-A", "4")
        request.apply(options)
        #expect(request.fields.values(for: "X-A") == ["3", "4"])
        #expect(request.fields["X-B"] == "2")
        #expect(request.fields[.idempotencyKey] == "k")
    }

    @Test func callOptionsWinOverDefaults() {
        let options = CallOptions(deadline: .seconds(1), fields: ["A": "1"]).over(
            CallOptions(deadline: .seconds(9), idempotencyKey: "k", fields: ["A": "2", "B": "3"]))
        #expect(options.deadline == .seconds(1))
        #expect(options.idempotencyKey == "k")
        #expect(options.fields["A"] == "1")
        #expect(options.fields["B"] == "3")
    }

    @Test func aDeadlineIsNeverExtended() {
        let context = RequestContext(options: CallOptions(deadline: .seconds(5)))
        let deadline = context.deadline
        #expect(context.limited(to: .after(.seconds(9))).deadline == deadline)
        #expect(context.limited(to: .after(.seconds(1))).deadline! < deadline!)
    }

    @Test func aOneShotStreamIsReplayableUntilItIsTaken() {
        let body = HTTPBody.once(AsyncThrowingStream { $0.finish() })
        #expect(body.isReplayable)
        if case .once(_, let stream) = body.storage { _ = stream.take() }
        #expect(!body.isReplayable)
    }

    @Test func collectingKeepsItsLimit() async throws {
        let chunks = AsyncThrowingStream<HTTPBody.Chunk, any Error> { continuation in
            for _ in 0..<3 { continuation.yield([1, 2, 3, 4][...]) }
            continuation.finish()
        }
        let body = ResponseBody.stream(chunks)
        let error = await #expect(throws: NetworkError.self) { try await body.collect(upToBytes: 10) }
        #expect(error?.code == .responseTooLarge)
        #expect(try await ResponseBody.bytes([1, 2]).collect(upToBytes: 2) == [1, 2])
    }
}
