import Foundation
import GatewayCore
import GatewayOfflineQueue
import GatewayTesting
import Testing

/// `gateway queue`, while this process has the file open.
@Suite(.timeLimit(.minutes(2))) struct QueueCommandTests {
    private let rig: CommandRig
    private var path: String { rig.folder + "/queue.sqlite" }

    init() throws { rig = try CommandRig() }

    private var now: QueueTime { QueueTime(SystemClock()) }

    /// A store with entries 1 to 4 that wait; 2 and 3 have the same ordering key, 3 has an account and a deduplication key.
    private func filledStore() throws -> SQLiteQueueStore {
        let store = SQLiteQueueStore(path: path, after: QueueEntry.ID(0))
        let items = try (1...4).map { number in
            var request = QueueRequest(
                try HTTPRequest(
                    .post, "https://api.example.com/items/\(number)?name=planted",
                    fields: [.contentType: "application/json"], body: .text("planted body \(number)")))
            request.idempotencyKey = "planted-key-\(number)"
            request.orderingKey = number == 2 || number == 3 ? "planted-order" : nil
            request.deduplicationKey = number == 3 ? "planted-same" : nil
            request.account = QueueAccount(number == 4 ? "anna" : "default")
            return try QueueItem(request, now: now)
        }
        #expect(try store.insert(items, limits: QueueLimits(), now: now).count == 4)
        return store
    }

    private func lease(_ count: Int, _ store: SQLiteQueueStore) throws -> [QueueLease] {
        try store.lease(QueueLeaseRequest(count: count, owner: QueueOwner(7), now: now)).leases
    }

    /// Makes an entry poison.
    private func poison(_ id: Int64, in store: SQLiteQueueStore) throws {
        let leases = try lease(9, store)
        let completions = leases.map { lease in
            QueueCompletion(lease, lease.id == QueueEntry.ID(id) ? .poison : .released, reason: "422")
        }
        #expect(try store.finish(completions, now: now).allSatisfy { $0 })
    }

    private func run(
        _ arguments: [String], input: CommandProcess.Input = .nothing
    ) async throws -> CommandProcess.Outcome {
        try await rig.start(["queue"] + arguments + ["--file", path], [:], input: input).outcome()
    }

    private func json(_ text: some StringProtocol) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    private func states(_ store: SQLiteQueueStore) throws -> [QueueEntry.State] {
        try store.entries(QueueSelection()).map(\.state)
    }

    // MARK: Reading

    /// queue.command-shows-no-secret
    @Test func aListSaysWhyEntriesWaitAndShowsNoValues() async throws {
        let store = try filledStore()
        try poison(1, in: store)
        let table = try await run(["list"])
        #expect(table.status == 0 && table.error.isEmpty, "\(table.error)")
        let lines = table.text.split(separator: "\n").map(String.init)
        #expect(lines.count == 6 && lines[0].hasPrefix("ID  STATE "), "\(table.text)")
        #expect(
            lines[1].contains("poison") && lines[1].contains("422") && lines[1].contains("Correct the cause"))
        #expect(lines[2].contains("POST https://api.example.com/items/2  It waits for its turn."))
        #expect(lines[3].contains("Entry 2 with the same ordering key comes first."))
        #expect(lines[5] == "3 waiting, 1 poison")
        for arguments in [["list", "--json"], ["show", "3"], ["show", "3", "--json"]] {
            let run = try await run(arguments)
            #expect(run.status == 0 && run.error.isEmpty && run.text.contains("/items/3"), "\(run.error)")
            #expect(!run.text.contains("planted"), "\(run.text)")
        }
        #expect(!table.text.contains("planted"))
    }

    @Test func optionsSelectEntries() async throws {
        let store = try filledStore()
        try poison(1, in: store)
        for (arguments, ids) in [
            (["--state", "poison"], [1]), (["--account", "anna"], [4]), (["--key", "planted-same"], [3]),
            (["--limit", "2"], [1, 2]), (["--older-than", "1d"], []), (["--state", "done"], []),
            (["--state", "poison", "--state", "waiting"], [1, 2, 3, 4]),
        ] {
            let run = try await run(["list", "--json"] + arguments)
            let object = try json(run.text)
            let entries = try #require(object["entries"] as? [[String: Any]])
            #expect(entries.map { $0["id"] as? Int } == ids, "\(arguments)")
            #expect((object["counts"] as? [String: Int]) == ["waiting": 3, "poison": 1])
        }
    }

    @Test func anExportHasWhatIsSent() async throws {
        let store = try filledStore()
        for hasBodies in [false, true] {
            let run = try await run(["export"] + (hasBodies ? ["--bodies"] : []))
            #expect(run.status == 0 && run.error.isEmpty, "\(run.error)")
            let lines = run.text.split(separator: "\n")
            try #require(lines.count == 4)
            let third = try json(lines[2])
            #expect(third["url"] as? String == "https://api.example.com/items/3?name=planted")
            #expect(third["idempotency_key"] as? String == "planted-key-3")
            #expect(third["fields"] as? [[String]] == [["Content-Type", "application/json"]])
            let body = third["body"] as? String
            #expect(body == (hasBodies ? Data("planted body 3".utf8).base64EncodedString() : nil))
        }
        #expect(try states(store) == [.waiting, .waiting, .waiting, .waiting])
    }

    /// What the file says is no line of its own.
    @Test func aReasonStaysInItsLine() async throws {
        let store = try filledStore()
        let lease = try #require(try lease(1, store).first)
        let completion = QueueCompletion(lease, .poison, reason: "422\r\n9   poison")
        #expect(try store.finish([completion], now: now).allSatisfy { $0 })
        for arguments in [["list"], ["show", "\(lease.id)"]] {
            let run = try await run(arguments)
            #expect(run.text.contains("422??9   poison"), "\(run.text)")
        }
    }

    // MARK: Changing

    @Test func poisonIsRetried() async throws {
        let store = try filledStore()
        try poison(1, in: store)
        let before = try store.foreignVersion()
        let retried = try await run(["retry", "1"])
        #expect(
            retried.status == 0 && retried.text == "1 entry waiting to be sent again\n", "\(retried.error)")
        #expect(try store.foreignVersion() != before)
        #expect(try states(store) == [.waiting, .waiting, .waiting, .waiting])
        let again = try await run(["retry", "1", "99"])
        #expect(again.status == 1 && again.error.contains("entries 1, 99: cannot be retried now"))
    }

    @Test func entriesAreCancelled() async throws {
        let store = try filledStore()
        let one = try await run(["cancel", "1", "77"])
        #expect(one.status == 1 && one.text == "1 entry cancelled\n" && one.error.contains("entry 77: "))
        #expect(try states(store) == [.cancelled, .waiting, .waiting, .waiting])
        let refused = try await run(["cancel", "--all"])
        #expect(
            refused.status == 2 && refused.error.contains("3 entries would be cancelled; without a terminal"))
        #expect(try states(store) == [.cancelled, .waiting, .waiting, .waiting])
        let young = try await run(["cancel", "--older-than", "1d"])
        #expect(young.status == 0 && young.text == "no entries to cancel\n")
        let key = try await run(["cancel", "--key", "planted-same", "--yes"])
        #expect(key.status == 0 && key.text == "1 entry cancelled\n")
        #expect(try states(store) == [.cancelled, .waiting, .cancelled, .waiting])
        let account = try await run(["cancel", "--account", "anna", "-y"])
        #expect(account.status == 0)
        let all = try await run(["cancel", "--all", "-y"])
        #expect(all.status == 0 && all.text == "1 entry cancelled\n")
        #expect(try states(store).allSatisfy { $0 == .cancelled })
    }

    /// queue.command-confirms
    @Test(arguments: [
        ("yes\n", true), (" yes \n", true), ("y\n", false), ("no\n", false), ("\n", false), ("\u{4}", false),
    ])
    func cancellingManyEntriesIsConfirmedAtATerminal(typed: String, isConfirmed: Bool) async throws {
        let store = try filledStore()
        let run = try await rig.start(
            ["queue", "cancel", "--all", "--file", path], [:], input: .terminal(typed), output: .terminal
        ).outcome()
        #expect(run.error.contains("cancel 4 entries? They are never sent. Type yes:"), "\(run.error)")
        #expect(run.error.contains("4 entries cancelled") == isConfirmed, "\(run.error)")
        #expect(run.error.contains("nothing was cancelled") == !isConfirmed && run.status == 0)
        #expect(try states(store).allSatisfy { $0 == (isConfirmed ? .cancelled : .waiting) })
    }

    /// What is being sent is not cancelled.
    @Test func attemptsInProgressAreLeftAlone() async throws {
        let store = try filledStore()
        let leases = try lease(1, store)
        #expect(leases.map(\.id) == [QueueEntry.ID(1)])
        let all = try await run(["cancel", "--all", "-y"])
        #expect(all.status == 0 && all.text == "3 entries cancelled\n")
        #expect(try states(store) == [.leased, .cancelled, .cancelled, .cancelled])
        #expect(try store.finish([QueueCompletion(leases[0], .done)], now: now) == [true])
    }

    /// queue.clock-belief
    @Test func theNewestTimeIsShownAndReset() async throws {
        let store = try filledStore()
        let right = try await run(["clock"])
        let isRight = "\nThe clock is not behind it.\n"
        #expect(right.status == 0 && right.text.hasSuffix(isRight), "\(right.error)")
        // One that may have been sent waits for the clock.
        try poison(1, in: store)
        #expect(try store.retry(QueueEntry.ID(1), now: now))
        let leases = try lease(1, store)
        #expect(try store.finish(leases.map { QueueCompletion($0, .released) }, now: now) == [true])
        let ahead = now.adding(.seconds(40_000))
        _ = try store.cancel(QueueSelection(QueueEntry.ID(77)), now: ahead)
        let behind = try await run(["clock"])
        #expect(behind.text.contains("behind it: entries that may have been sent wait."), "\(behind.error)")
        let object = try json(try await run(["clock", "--json"]).text)
        #expect(object["newest"] as? Int == Int(ahead.milliseconds))
        let list = try await run(["list"])
        #expect(list.text.contains("behind the newest time of the queue"), "\(list.text)")
        let reset = try await run(["clock", "--reset"])
        #expect(reset.status == 0 && reset.text.hasSuffix(isRight), "\(reset.error)")
        let newest = try #require(try store.outlook().newest)
        #expect(newest <= now)
        let after = try await run(["list"])
        #expect(after.status == 0 && !after.text.contains("behind the newest time"), "\(after.text)")
    }

    // MARK: Files

    /// queue.command-makes-no-file
    @Test func aMissingFileIsNotMade() async throws {
        for arguments in [["list"], ["show", "1"], ["retry", "1"], ["cancel", "1"], ["export"]] {
            let run = try await run(arguments)
            #expect(run.status == 2 && run.out.isEmpty && run.error.contains("There is no such file."))
        }
        let standard = try await rig.start(["queue", "list"], ["HOME": rig.folder]).outcome()
        #expect(standard.status == 2, "\(standard.error)")
        #expect(standard.error.contains(rig.folder + "/.local/state/gateway/queue.sqlite: There is no"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: rig.folder) == ["secret"])
    }

    @Test func anotherFileIsLeftAsItIs() async throws {
        for text in ["", "not a queue", String(repeating: "SQLite format 3\u{0}", count: 64)] {
            try rig.file("queue.sqlite", text)
            let run = try await run(["list"])
            #expect(run.status == 2 && run.error.contains("The file is not that of a queue."), "\(run.error)")
            #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
        }
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: rig.folder).sorted() == [
                "queue.sqlite", "secret",
            ])
    }

    @Test func theDefaultFileIsThatOfServices() async throws {
        let folder = rig.folder + "/gateway"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        let store = try filledStore()
        store.close()
        try FileManager.default.moveItem(atPath: path, toPath: folder + "/queue.sqlite")
        let run = try await rig.start(["queue", "list"], ["XDG_STATE_HOME": rig.folder]).outcome()
        #expect(run.status == 0 && run.text.hasSuffix("\n4 waiting\n"), "\(run.error)")
        let other = rig.folder + "/other.sqlite"
        try FileManager.default.moveItem(atPath: folder + "/queue.sqlite", toPath: other)
        let named = try await rig.start(
            ["queue", "list"], ["XDG_STATE_HOME": rig.folder, "GATEWAY_QUEUE_FILE": other]
        ).outcome()
        #expect(named.status == 0 && named.text.hasSuffix("\n4 waiting\n"), "\(named.error)")
        // Not another file without a word.
        let wrong = try await rig.start(["queue", "list"], ["GATEWAY_QUEUE_FILE": "other.sqlite"]).outcome()
        #expect(wrong.status == 2 && wrong.error.contains("GATEWAY_QUEUE_FILE: must be the absolute path"))
    }
}
