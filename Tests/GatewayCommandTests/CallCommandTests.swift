import Foundation
import GatewayCore
import GatewaySQLite
import GatewayTesting
import Testing

/// `gateway call`: its options, and what its exit status says.
@Suite(.timeLimit(.minutes(2))) struct CallCommandTests {
    private let rig: CommandRig

    init() throws { rig = try CommandRig() }

    private var origin: String { "\(rig.gateway.origin)" }

    // MARK: Exit status

    @Test func anAnswerIsZeroAndItsBodyAllThatIsPrinted() async throws {
        let run = try await rig.run(["call", "GET", "/books/bk-1"])
        #expect(run.status == 0 && run.error.isEmpty)
        #expect(run.text.contains("\"bk-1\""))
        #expect(rig.gateway.statistics.tokenRequestCount == 1)
    }

    @Test func withoutVariablesTheCallGoesWithoutCredential() async throws {
        let run = try await rig.run(["call", "GET", "\(rig.gateway.apiURL)/books/bk-1"], [:])
        #expect(run.status == 1 && rig.gateway.statistics.tokenRequestCount == 0)
        #expect(
            run.error == "gateway: the response has the status 401\nno credential was sent: no variable "
                + "describes one; see: gateway help environment\n")
    }

    /// What is said of a failure says what to do about it.
    @Test func failuresComeWithAdvice() async throws {
        func advice(_ text: String, _ change: [String: String], _ path: String = "/books") async throws {
            let variables = rig.client.merging(change) { $1 }.filter { !$0.value.isEmpty }
            let run = try await rig.run(["call", "GET", path, "--retries", "0"], variables)
            #expect(run.status != 0 && run.error.contains(text), "\(run.error)")
            #expect(!run.error.contains("planted"))
        }
        rig.gateway.route(.get, "/v1/denied") { _ in .text("no", status: 403) }
        rig.gateway.route(.get, "/v1/closed") { _ in .text("no", status: 401) }
        let closed = "http://127.0.0.1:1"
        try await advice("if the token lacks a scope, add it to GATEWAY_SCOPE", [:], "/denied")
        try await advice(
            "a renewed token was refused, too; `gateway token` shows what it says", [:], "/closed")
        try await advice(
            "invalid_client (\"The client or its secret is wrong.\"). Check GATEWAY_CLIENT_ID, GATEWAY_CLIENT_SECRET_FILE",
            ["GATEWAY_CLIENT_SECRET_FILE": try rig.file("wrong", "planted")])
        try await advice(
            "GATEWAY_TOKEN_PATIENCE how long",
            ["GATEWAY_TOKEN_URL": closed + "/token", "GATEWAY_TOKEN_PATIENCE": "none"])
        try await advice("Check GATEWAY_TOKEN_URL.", ["GATEWAY_TOKEN_URL": rig.gateway.apiURL + "/nothing"])
        try await advice(
            "Sign in again, and replace the refresh token in GATEWAY_REFRESH_TOKEN.",
            ["GATEWAY_REFRESH_TOKEN": "planted-refresh-token"])
        try await advice(
            "check the host and the port",
            [
                "GATEWAY_BASE_URL": closed, "GATEWAY_TOKEN_URL": "",
                "GATEWAY_CLIENT_ID": "", "GATEWAY_CLIENT_SECRET_FILE": "",
            ])
        let tls = try await rig.run(
            ["call", "GET", "https://127.0.0.1:\(rig.gateway.origin.port)/x", "--retries", "0"], [:])
        #expect(tls.status == 4 && tls.error.contains("GATEWAY_CA_FILE names the certificates to trust"))
    }

    /// A refused proof is explained, and so are scopes that were not granted.
    @Test func refusalsAreExplained() async throws {
        rig.gateway.route(.get, "/v1/proof") { _ in
            var reply = EmbeddedGateway.Reply.text("no", status: 401)
            reply.fields[.wwwAuthenticate] = #"DPoP error="invalid_dpop_proof""#
            return reply
        }
        let proof = try await rig.run(["call", "GET", "/proof"])
        #expect(proof.status == 1 && proof.error.contains("refused the DPoP proof, not the token"))
        #expect(rig.gateway.statistics.tokenRequestCount == 1)

        rig.gateway.route(.get, "/v1/denied") { _ in .text("no", status: 403) }
        rig.gateway.inject(
            .reply(
                .text(
                    #"{"access_token":"t0k3n","token_type":"Bearer","expires_in":60,"scope":"books:read"}"#)),
            into: .token, times: 2)
        var variables = rig.client
        variables["GATEWAY_SCOPE"] = "books:read books:write stock:admin"
        let narrowed = "granted fewer scopes than GATEWAY_SCOPE requests; missing: books:write stock:admin"
        let denied = try await rig.run(["call", "GET", "/denied"], variables)
        #expect(denied.status == 1 && denied.error.contains(narrowed), "\(denied.error)")
        let token = try await rig.run(["token"], variables)
        #expect(token.status == 0 && token.error.contains(narrowed))
    }

    @Test func aLongLifetimeIsSaidToBeLimited() async throws {
        rig.gateway.inject(
            .reply(.text(#"{"access_token":"t0k3n","token_type":"Bearer","expires_in":864000}"#)),
            into: .token, times: 1)
        let run = try await rig.run(["token", "--verbose"])
        #expect(run.error.contains("issued for 240 h, and is used for 24 h at most"), "\(run.error)")
        #expect(run.error.contains("the token is valid for 240 h"))
    }

    /// By the environment a 403 that says `invalid_token` has the token renewed.
    @Test func aStatusOfTheEnvironmentRenewsTheToken() async throws {
        let calls = Locked(0)
        rig.gateway.route(.get, "/v1/old") { _ in
            let isFirst = calls.withLock { calls in
                calls += 1
                return calls % 2 == 1
            }
            guard isFirst else { return .text("yes") }
            var reply = EmbeddedGateway.Reply.text("no", status: 403)
            reply.fields[.wwwAuthenticate] = #"Bearer error="invalid_token""#
            return reply
        }
        let plain = try await rig.run(["call", "GET", "/old"])
        #expect(plain.status == 1 && rig.gateway.statistics.tokenRequestCount == 1)
        calls.withLock { $0 = 0 }
        var variables = rig.client
        variables["GATEWAY_REJECTION_STATUSES"] = "400, 403"
        let run = try await rig.run(["call", "GET", "/old"], variables)
        #expect(run.status == 0 && run.text == "yes")
        #expect(rig.gateway.statistics.tokenRequestCount == 3)
    }

    @Test(arguments: [400, 404, 422, 500]) func aStatusFrom400IsOneAndTheBodyIsPrinted(status: Int)
        async throws
    {
        rig.gateway.route(.get, "/refusal") { _ in .text("because", status: status) }
        let run = try await rig.run(["call", "GET", "\(origin)/refusal", "--retries", "0"])
        #expect(run.status == 1 && run.text == "because")
        #expect(run.error == "gateway: the response has the status \(status)\n")
    }

    @Test func noTokenIsThree() async throws {
        var variables = rig.client
        variables["GATEWAY_CLIENT_SECRET_FILE"] = try rig.file("wrong", "not-the-secret")
        let run = try await rig.run(["call", "GET", "/books"], variables)
        #expect(run.status == 3 && run.out.isEmpty)
        #expect(run.error.hasPrefix("gateway: credential_misconfigured"))
        #expect(!run.error.contains("not-the-secret"))
    }

    @Test func noAnswerIsFour() async throws {
        rig.gateway.refuseConnections(to: .api)
        let refused = try await rig.run(["call", "GET", "\(origin)/echo", "--retries", "0"], [:])
        #expect(refused.status == 4 && refused.error.contains("connection_refused"))
        try rig.gateway.acceptConnections(to: .api)
        let hold = rig.gateway.hold()
        defer { hold.release() }
        let late = try await rig.run(["call", "GET", "\(origin)/echo", "--timeout", "100ms"], [:])
        #expect(late.status == 4 && late.error.contains("timeout"))
    }

    @Test func aTornBodyIsFour() async throws {
        rig.gateway.inject(.tear(afterBytes: 10), into: .api)
        let run = try await rig.run(["call", "GET", "\(origin)/bytes/1000"], [:])
        #expect(run.status == 4 && run.out.count == 10 && run.error.contains("truncated"))
    }

    // MARK: What is sent

    @Test func dataIsSentAsJSONUnlessAHeaderSaysOtherwise() async throws {
        let json = try await rig.run(["call", "POST", "\(origin)/echo", "-d", "{\"a\": 1}", "-i"], [:])
        #expect(json.status == 0 && json.text.hasPrefix("HTTP 200\n"))
        #expect(
            json.text.contains("Content-Type: application/json\n") && json.text.hasSuffix("\n\n{\"a\": 1}"))
        let text = try await rig.run(
            ["call", "POST", "\(origin)/echo", "--data=x", "-H", "content-type: text/x-own", "--include"], [:]
        )
        #expect(text.text.contains("Content-Type: text/x-own\n") && text.text.hasSuffix("\n\nx"))
    }

    /// A shell passes any bytes. Bytes that are not text are refused, and nothing is sent in their place.
    @Test(arguments: [("--data ", 5), ("--data=", 4)])
    func dataThatIsNotTextIsRefused(option: String, number: Int) async throws {
        let script = "exec gateway call POST \(origin)/echo \(option)$'a\\xffb'"
        let run = try await CommandProcess(["-c", script], program: "/bin/bash").outcome()
        #expect(run.status == 2 && run.out.isEmpty)
        #expect(
            run.error == "gateway: argument \(number) is not text in UTF-8; --data-file sends any bytes\n"
                + "See: gateway call --help\n")
        #expect(rig.gateway.statistics.requests == 0)
    }

    /// A combining character does not change the sign before it.
    @Test func dataIsSentByteForByte() async throws {
        let text = "\u{301}e\u{301} \u{FFFD}"
        let run = try await rig.run(["call", "POST", "\(origin)/echo", "--data=\(text)"], [:])
        #expect(run.status == 0 && run.out == Array(text.utf8), "\(run.error)")
    }

    @Test func aFileIsSentByteForByte() async throws {
        let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let path = try rig.file("content", bytes)
        let run = try await rig.run(["call", "PUT", "\(origin)/echo", "--data-file", path], [:])
        let isSame = run.out == bytes
        #expect(run.status == 0 && isSame)
    }

    @Test(arguments: [0, 1000, 3 << 20]) func standardInputIsSentByteForByte(count: Int) async throws {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 13) }
        let run = try await rig.run(
            ["call", "PUT", "\(origin)/echo", "--data-file", "-"], [:],
            input: .file(try rig.file("content", bytes)))
        // Compared outside: a difference of megabytes is nothing to print.
        let isSame = run.out == bytes
        #expect(run.status == 0 && isSame, "\(run.out.count) \(run.error)")
    }

    @Test func headersOfTheCommandLineAndOfAFile() async throws {
        rig.gateway.route(.get, "/fields") { request in
            .text("\(request.fields["X-One"] ?? "-") \(request.fields["X-Two"] ?? "-")")
        }
        let path = try rig.file("fields", "X-Two:  second \n\nAuthorization: Partner from-the-file\n")
        let run = try await rig.run(
            [
                "call", "GET", "\(origin)/fields", "--header", "X-One: a", "-H", "X-One: b", "--header-file",
                path,
            ])
        #expect(run.status == 0 && run.text == "a, b second")
    }

    @Test func anIdempotencyKeyLetsAPostBeRepeated() async throws {
        rig.gateway.inject(.status(503), into: .api, times: 1)
        let run = try await rig.run(
            ["call", "POST", "\(origin)/echo", "-i", "--data", "x", "--idempotency-key", "key-1"], [:])
        #expect(run.status == 0 && run.text.contains("X-Echo-Idempotency-Key: key-1\n"))
    }

    @Test func retriesAreCounted() async throws {
        let fault = rig.gateway.inject(.status(503), into: .api)
        let none = try await rig.run(["call", "GET", "\(origin)/echo", "--retries", "0"], [:])
        #expect(none.status == 1 && fault.hits == 1)
        let one = try await rig.run(["call", "GET", "\(origin)/echo"], ["GATEWAY_RETRIES": "1"])
        #expect(one.status == 1 && fault.hits == 3)
    }

    @Test func aFileReplacesTheBodyIfTheServiceIsUnavailable() async throws {
        let file = try rig.file("fallback", "stored")
        let output = rig.folder + "/output"
        let refused = try await rig.run(
            ["call", "GET", "http://127.0.0.1:1/", "--retries", "0", "--fallback-file", file, "-o", output],
            [:])
        #expect(refused.status == 0 && refused.text.isEmpty)
        #expect(refused.error.contains("gateway: the call failed, the fallback file is used: "))
        #expect(try String(contentsOfFile: output, encoding: .utf8) == "stored")
        // Other outcomes are what they are.
        for (path, status) in [("/nothing", 1), ("/echo", 0)] as [(String, Int32)] {
            let run = try await rig.run(["call", "GET", origin + path, "--fallback-file", file], [:])
            #expect(run.status == status && !run.text.contains("stored") && !run.error.contains("fallback"))
        }
        let missing = try await rig.run(
            ["call", "GET", "\(origin)/echo", "--fallback-file", rig.folder + "/none"], [:])
        #expect(missing.status == 2 && missing.error.contains("the file for --fallback-file cannot be read"))
    }

    @Test func aFileKeepsResponsesFromOneCommandToTheNext() async throws {
        let count = Locked(0)
        rig.gateway.route(.get, "/v1/kept") { _ in
            count.withLock { $0 += 1 }
            return EmbeddedGateway.Reply(
                status: 200, fields: ["Cache-Control": "max-age=3600"], body: Array("kept".utf8))
        }
        let variables = rig.client.merging([
            "GATEWAY_CACHE": "disk:\(rig.folder)/http.sqlite", "GATEWAY_ACCOUNT": "me",
        ]) { $1 }
        for _ in 0..<2 {
            let run = try await rig.run(["call", "GET", "/kept", "--explain"], variables)
            #expect(run.status == 0 && run.text == "kept", "\(run.error)")
            #expect(run.error.contains("options: cache: default, in a file (GATEWAY_CACHE)"), "\(run.error)")
        }
        #expect(count.withLock { $0 } == 1)
    }

    /// cache.invalidation-confirmed
    @Test func aCommandSaysThatItsFileHasNotConfirmedAChange() async throws {
        let count = Locked(0)
        rig.gateway.route(.get, "/v1/kept") { _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            return EmbeddedGateway.Reply(
                status: 200, fields: ["Cache-Control": "max-age=3600"], body: Array("\(number)".utf8))
        }
        rig.gateway.route(.post, "/v1/kept") { _ in .text("changed") }
        let file = rig.folder + "/http.sqlite"
        let variables = rig.client.merging(["GATEWAY_CACHE": "disk:\(file)", "GATEWAY_ACCOUNT": "me"]) { $1 }
        let (get, post) = (["call", "GET", "/kept"], ["call", "POST", "/kept", "--data", "x"])
        #expect(try await rig.run(get, variables).text == "1")
        // Another process writes for longer than the command waits.
        let other = try SQLiteConnection(path: file, isReadOnly: false)
        try other.execute("BEGIN IMMEDIATE")
        let late = try await rig.run(post, variables)
        #expect(late.status == 0 && late.text == "changed")
        #expect(late.error.contains("the cache has not confirmed what the call has changed"), "\(late.error)")
        try other.execute("ROLLBACK")
        let run = try await rig.run(post, variables)
        #expect(run.status == 0 && run.error.isEmpty, "\(run.error)")
        #expect(try await rig.run(get, variables).text == "2")
    }

    @Test func relativeURLsFollowTheBase() async throws {
        rig.gateway.route(.get, "/v1/where") { .text($0.target) }
        for base in ["\(origin)/v1", "\(origin)/v1/"] {
            let run = try await rig.run(["call", "GET", "/where?a=b"], ["GATEWAY_BASE_URL": base])
            #expect(run.status == 0 && run.text == "/v1/where?a=b")
        }
    }

    @Test func whoGetsNoCredentialIsTold() async throws {
        let run = try await rig.run(["call", "GET", "http://localhost:\(rig.gateway.origin.port)/v1/books"])
        #expect(run.status == 1 && rig.gateway.statistics.tokenRequestCount == 0)
        #expect(run.error.contains("gateway: no credential is sent to http://localhost:"))
    }

    // MARK: What is printed

    @Test func aFileIsWrittenWhenTheAnswerIsWhole() async throws {
        let path = rig.folder + "/body"
        let run = try await rig.run(["call", "GET", "\(origin)/bytes/100000", "--output", path], [:])
        #expect(run.status == 0 && run.out.isEmpty)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)).count == 100_000)
        let refused = try await rig.run(["call", "GET", "\(origin)/v1/books", "-o", path], [:])
        #expect(refused.status == 1 && !refused.out.isEmpty)
        rig.gateway.inject(.tear(afterBytes: 10), into: .api)
        #expect(try await rig.run(["call", "GET", "\(origin)/bytes/1000", "-o", path], [:]).status == 4)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)).count == 100_000)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: rig.folder).sorted() == ["body", "secret"])
    }

    @Test func cookiesAreNotPrinted() async throws {
        rig.gateway.route(.get, "/cookie") { _ in
            EmbeddedGateway.Reply(fields: [
                "Set-Cookie": "session=planted", "X-Auth-Token": "planted", "X-Escape": "a\u{9B}31mb",
            ])
        }
        let run = try await rig.run(["call", "GET", "\(origin)/cookie", "-i"], [:])
        #expect(run.text.contains("Set-Cookie: <redacted>\n") && !run.text.contains("planted"))
        #expect(!run.text.contains("\u{9B}"))
    }

    /// With 80 MiB for all its data, threads and libraries, it cannot hold the body.
    @Test(.enabled(if: !Sanitizer.isThreads, "a sanitizer takes more than that"))
    func aLargeBodyIsNotGathered() async throws {
        let count = 64 << 20
        let script = "ulimit -d 81920; exec gateway call GET \(origin)/bytes/\(count)"
        let run = try await CommandProcess(["-c", script], program: "/bin/bash").outcome()
        let received = run.out.count
        try #require(run.status == 0 && received == count, "\(run.error)")
        let byte = run.out[12_345_678]
        #expect(byte == UInt8(truncatingIfNeeded: 12_345_678 &* 31 &+ 12_345_678 >> 8))
    }
}
