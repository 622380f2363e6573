import GatewayTesting
import Testing

/// The verdict on a storm finds each kind of fault, and nothing else.
@Suite struct StormVerdictTests {
    /// A record in the order of its steps, a second apart.
    private func entries(_ steps: [(String, StormEntry.Step)]) -> [StormEntry] {
        steps.enumerated().map { index, step in
            StormEntry(UInt64(index + 1) * 1_000_000_000, step.0, step.1)
        }
    }

    private func verdict(_ steps: [(String, StormEntry.Step)], limit: UInt64 = 100) -> StormVerdict {
        StormVerdict(entries(steps), callLimit: limit * 1_000_000_000)
    }

    private func granted(_ token: String) -> (String, StormEntry.Step) {
        ("server", .use(.granted, token: token, family: 0))
    }

    private func reused(_ token: String) -> (String, StormEntry.Step) {
        ("server", .use(.reused, token: token, family: 0))
    }

    /// Two processes, of which the first has sent a token.
    private let begun: [(String, StormEntry.Step)] = [
        ("p0.1", .started), ("p1.1", .started), ("p0.1", .locked), ("p0.1", .send(token: "a")),
    ]

    @Test func aStormWithoutFaults() {
        let all =
            begun + [
                granted("a"), ("p0.1", .answer(token: "a", "200")), ("p0.1", .stored(token: "b")),
                ("p1.1", .call(1)), ("p1.1", .ended(1, "200")), ("p1.1", .call(2)),
                ("p1.1", .ended(2, "timeout")),
            ]
        let verdict = verdict(all)
        #expect(verdict.faults.isEmpty)
        #expect(verdict.reuses.isEmpty)
    }

    // MARK: Tokens that are used again

    @Test func aKillBetweenSendingAndStoringExplainsAReuse() {
        let end = [("p1.1", StormEntry.Step.send(token: "a")), reused("a")]
        let kill = ("driver", StormEntry.Step.kill("p0.1"))
        for middle in [[granted("a"), kill], [granted("a"), ("p0.1", .answer(token: "a", "200")), kill]] {
            let verdict = verdict(begun + middle + end)
            #expect(verdict.faults.isEmpty)
            #expect(verdict.reuses == ["a": .killed])
        }
    }

    @Test func otherKillsExplainNoReuse() {
        let end = [("p1.1", StormEntry.Step.send(token: "a")), reused("a")]
        let done = [granted("a"), ("p0.1", .answer(token: "a", "200")), ("p0.1", .stored(token: "b"))]
        // After storing, of somebody else, before sending, after the reuse.
        #expect(verdict(begun + done + [("driver", .kill("p0.1"))] + end).faults.count == 1)
        #expect(verdict(begun + [granted("a"), ("driver", .kill("p2.1"))] + end).faults.count == 1)
        let early = [
            ("p0.1", StormEntry.Step.started), ("driver", .kill("p0.1")), ("p0.2", .send(token: "a")),
        ]
        #expect(verdict(early + [granted("a")] + end).faults.count == 1)
        #expect(verdict(begun + [granted("a")] + end + [("driver", .kill("p0.1"))]).faults.count == 1)
    }

    @Test func twoSendersAtOnceAreAFault() {
        let verdict = verdict(begun + [("p1.1", .send(token: "a")), granted("a"), reused("a")])
        #expect(verdict.faults.count == 1)
        #expect("\(verdict.faults)".contains("token a was used again by p1.1: p0.1 waited still"))
        #expect(verdict.reuses.isEmpty)
    }

    /// One sender that was killed is no excuse for another that lives.
    @Test func everySenderMustBeExplained() {
        let verdict = verdict(
            begun + [
                granted("a"), ("p1.1", .send(token: "a")), ("driver", .kill("p0.1")),
                ("p2.1", .send(token: "a")), reused("a"),
            ])
        #expect(verdict.faults.count == 1)
    }

    @Test func aStoredTokenThatIsSentAgainIsAFault() {
        let stored = [
            granted("a"), ("p0.1", StormEntry.Step.answer(token: "a", "200")), ("p0.1", .stored(token: "b")),
        ]
        let end = [("p0.1", StormEntry.Step.send(token: "a")), reused("a")]
        #expect(verdict(begun + stored + end).faults.count == 1)
        // A lost record is no reason either: a process that knows of it asks for a sign-in.
        #expect(verdict(begun + stored + [("driver", .lost("deleted"))] + end).faults.count == 1)
        #expect(verdict(begun + stored + [("driver", .unlocked)] + end).faults.count == 1)
    }

    @Test func anOlderRecordExplainsAReuse() {
        // It is stored in the seventh second.
        let granted = [granted("a"), ("p0.1", StormEntry.Step.answer(token: "a", "200"))]
        let stored = [("p0.1", StormEntry.Step.stored(token: "b"))]
        let end = [("p1.1", StormEntry.Step.send(token: "a")), reused("a")]
        func restored(until second: UInt64) -> [(String, StormEntry.Step)] {
            [("driver", .restored(until: second * 1_000_000_000))]
        }
        let older = verdict(begun + [granted[0]] + restored(until: 9) + stored + end)
        #expect(older.faults.isEmpty)
        #expect(older.reuses == ["a": .restored])
        // What was stored before the copy was made is in it, and what was stored after it has come, too.
        #expect(verdict(begun + granted + stored + restored(until: 9) + end).faults.count == 1)
        #expect(verdict(begun + [granted[0]] + restored(until: 6) + stored + end).faults.count == 1)
    }

    @Test func anAnswerThatIsNotWaitedForIsAFault() {
        let end = [
            ("p0.1", StormEntry.Step.answer(token: "a", "token_outcome_unknown sent")),
            ("p0.1", .send(token: "a")), reused("a"),
        ]
        let verdict = verdict(begun + [granted("a")] + end)
        #expect(verdict.faults.count == 1)
        #expect("\(verdict.faults)".contains("was answered token_outcome_unknown sent and stored nothing"))
    }

    @Test func aRefusedRequestIsNoUse() {
        let busy = begun + [("p0.1", .answer(token: "a", "503")), ("p1.1", .send(token: "a"))]
        #expect(verdict(busy + [granted("a")]).faults.isEmpty)
        // And so explains nothing.
        #expect(verdict(busy + [reused("a")]).faults.count == 1)
    }

    /// The next process spends the token, and is killed before it has stored what it got.
    @Test func aRequestThatNeverArrivedIsNoUse() {
        let cut = ("p0.1", StormEntry.Step.answer(token: "a", "connection_lost sent"))
        let lost = begun + [cut, ("p1.1", .send(token: "a"))]
        let end = [
            ("driver", StormEntry.Step.kill("p1.1")), ("p2.1", .send(token: "a")), reused("a"),
        ]
        let verdict = verdict(lost + [granted("a")] + end)
        #expect(verdict.faults.isEmpty && verdict.reuses == ["a": .killed], "\(verdict.faults)")
        // The server acted on the request before its connection was lost.
        #expect(self.verdict(begun + [granted("a"), cut] + end).faults.count == 1)
    }

    @Test func aLockThatWasTakenAwayExplainsNoReuse() {
        let end = [("p1.1", StormEntry.Step.send(token: "a")), granted("a"), reused("a")]
        #expect(verdict(begun + [("driver", .unlocked)] + end).faults.count == 1)
    }

    @Test func whoSendsMustSaySo() {
        #expect(verdict([granted("a"), reused("a")]).faults.count == 1)
        #expect(verdict(begun + [reused("a")]).faults.count == 1)
        let unknown = ("server", StormEntry.Step.use(.unknown, token: "a", family: nil))
        #expect(verdict(begun + [unknown]).faults.count == 1)
    }

    @Test func aRevokedFamilyMustHaveBeenRevoked() {
        let refused = ("server", StormEntry.Step.use(.revoked, token: "b", family: 0))
        let reuse =
            begun + [granted("a"), ("driver", .kill("p0.1")), ("p1.1", .send(token: "a")), reused("a")]
        #expect(verdict(reuse + [("p1.1", .send(token: "b")), refused]).faults.isEmpty)
        #expect(verdict(begun + [granted("a"), ("p1.1", .send(token: "b")), refused]).faults.count == 1)
    }

    // MARK: Logins

    private func lost(_ call: Int, _ who: String = "p1.1") -> [(String, StormEntry.Step)] {
        [(who, .call(call)), (who, .ended(call, "reauthentication_required"))]
    }

    @Test func aLoginThatIsLostForNoReasonIsAFault() {
        #expect(verdict(begun + lost(1)).faults.count == 1)
        #expect(verdict(begun + lost(1) + [("driver", .lost("deleted"))]).faults.count == 1)
        #expect(verdict(begun + [("driver", .lost("deleted"))] + lost(1)).faults.isEmpty)
    }

    @Test func afterASignInTheOldReasonsDoNotCount() {
        let signIn = [("driver", StormEntry.Step.login(token: "x")), ("driver", .loggedIn)]
        let first = begun + [("driver", .lost("deleted"))] + lost(1) + signIn
        // It has not heard of it yet.
        #expect(verdict(first + lost(2)).faults.isEmpty)
        #expect(verdict(first + [("p1.1", .followed)] + lost(2)).faults.count == 1)
        #expect(verdict(first + [("p1.1", .followed), ("driver", .lost("cut"))] + lost(2)).faults.isEmpty)
        // A process that was started after it never knew another login.
        #expect(verdict(first + [("p2.1", .started)] + lost(1, "p2.1")).faults.count == 1)
    }

    // MARK: Calls and processes

    @Test func aCallThatHangsIsAFault() {
        let call = [("p1.1", StormEntry.Step.call(1))]
        let time = Array(repeating: ("driver", StormEntry.Step.act("")), count: 10)
        #expect(verdict(begun + call + time, limit: 9).faults.map(\.text) == ["call 1 of p1.1 hangs"])
        #expect(verdict(begun + call + time, limit: 11).faults.isEmpty)
        #expect(
            verdict(begun + call + time + [("p1.1", .ended(1, "200"))], limit: 9).faults.map(\.text)
                == ["call 1 of p1.1 took too long"])
        // A process that is stopped or killed ends nothing.
        let stopped = [("driver", StormEntry.Step.stop("p1.1"))] + time + [("driver", .proceed("p1.1"))]
        #expect(verdict(begun + call + stopped, limit: 9).faults.isEmpty)
        #expect(verdict(begun + call + [("driver", .kill("p1.1"))] + time, limit: 9).faults.isEmpty)
        #expect(verdict(begun + call + stopped + time, limit: 9).faults.count == 1)
    }

    @Test func anErrorWithoutACodeIsAFault() {
        let call = [("p1.1", StormEntry.Step.call(1)), ("p1.1", .ended(1, "untyped:POSIXError"))]
        #expect(verdict(begun + call).faults.count == 1)
    }

    @Test func aProcessThatEndsByItselfIsAFault() {
        let exit = ("driver", StormEntry.Step.exited("p1.1", status: 4))
        #expect(verdict(begun + [exit]).faults.count == 1)
        #expect(verdict(begun + [exit, ("driver", .kill("p1.1"))]).faults.count == 1)
        #expect(verdict(begun + [("driver", .kill("p1.1")), exit]).faults.isEmpty)
    }

    /// libdispatch traps where it may open no file; that is a kill like any other. No other end is excused.
    @Test func aProcessWithoutDescriptorsMayBeKilledByTheSystemsLibrary() {
        let starve = [("driver", StormEntry.Step.starve("p0.1"))]
        let feed = [("driver", StormEntry.Step.feed("p0.1"))]
        func exit(_ status: Int32) -> [(String, StormEntry.Step)] {
            [("driver", .exited("p0.1", status: status))]
        }
        #expect(verdict(begun + starve + exit(4 | 0x80) + feed).faults.isEmpty)
        #expect(verdict(begun + starve + exit(11) + feed).faults.count == 1)
        #expect(verdict(begun + starve + exit(256) + feed).faults.count == 1)
        #expect(verdict(begun + starve + feed + exit(4)).faults.count == 1)
        #expect(verdict(begun + exit(4)).faults.count == 1)
        let end = [granted("a"), ("p1.1", .send(token: "a")), reused("a")]
        #expect(verdict(begun + starve + exit(4) + feed + end).reuses == ["a": .killed])
    }

    @Test func aProcessThatGetsNoResponseAnyMoreIsAFault() {
        let call = [("p0.1", StormEntry.Step.call(1))]
        let good = [("p0.1", StormEntry.Step.ended(1, "200"))]
        let healed = [("driver", StormEntry.Step.healed(3))]
        let over = [("driver", StormEntry.Step.over(3))]
        let alone = [("p0.1", StormEntry.Step.started)]
        #expect(verdict(alone + healed + call + good + over).faults.isEmpty)
        #expect(
            verdict(alone + healed + call + over).faults.map(\.text) == ["p0.1 got no response after round 3"]
        )
        // A call from before says nothing.
        #expect(verdict(alone + call + healed + good + over).faults.count == 1)
        let failed = [("p0.1", StormEntry.Step.ended(1, "503"))]
        #expect(verdict(alone + healed + call + failed + over).faults.count == 1)
    }

    @Test func whatIsOlderIsNotJudgedAgainAndExplains() {
        let all =
            begun + [
                granted("a"), ("driver", .kill("p0.1")), ("p1.1", .send(token: "a")), reused("a"),
                ("p1.1", .call(1)), ("p1.1", .ended(1, "reauthentication_required")),
            ]
        #expect(StormVerdict(entries(all), from: 9_000_000_000).reuses.isEmpty)
        #expect(StormVerdict(entries(all), from: 9_000_000_000).faults.isEmpty)
        #expect(StormVerdict(entries(begun + lost(1)), from: 9_000_000_000).faults.isEmpty)
    }
}
