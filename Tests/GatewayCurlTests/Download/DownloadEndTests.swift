import Foundation
import GatewayCore
import GatewayCurl
import GatewayTesting
import TestTiers
import Testing

/// The ways in which a reader gives up; each must give the connection back.
@Suite(.serialized, .tags(.concurrent), .timeLimit(.minutes(2))) struct DownloadEndTests {
    private static func endlessServer() -> FaultServer {
        FaultServer { connection in
            while let request = connection.readRequest() {
                guard request.line.contains("endless") else {
                    connection.write(ok())
                    continue
                }
                connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n7fffffffffff\r\n")
                connection.writeEndlessly()
                return
            }
        }
    }

    enum End: CaseIterable {
        case responseUnread, iteratorUnused, loopLeft, iteratorDropped, cancelledReading, cancelledBefore,
            limit
    }

    @Test(arguments: End.allCases)
    func givingUpGivesTheConnectionBack(end: End) async throws {
        let server = Self.endlessServer()
        defer { server.stop() }
        let transport = transport { $0.connectionsPerOrigin = 1 }
        let url = server.url + "/endless"
        for _ in 0..<5 {
            switch end {
            case .responseUnread: _ = try await transport.stream(.get, url)
            case .iteratorUnused: _ = try await transport.stream(.get, url).body.makeAsyncIterator()
            case .loopLeft:
                for try await _ in try await transport.stream(.get, url).body { break }
            case .iteratorDropped:
                let response = try await transport.stream(.get, url)
                var iterator: ResponseBody.Iterator? = response.body.makeAsyncIterator()
                _ = try await iterator?.next()
                iterator = nil
                // The response itself may live on.
                #expect(try await transport.send(.get, server.url).status == 200)
                #expect(response.status == 200)
            case .cancelledReading, .cancelledBefore:
                let response = try await transport.stream(.get, url)
                let begun = Latch()
                let task = Task {
                    if end == .cancelledBefore { await begun.wait() }
                    return await failure { () throws(NetworkError) in
                        for try await _ in response.body { begun.open() }
                    }
                }
                if end == .cancelledReading { await begun.wait() }
                task.cancel()
                begun.open()
                let error = await task.value
                #expect(error?.code == .cancelled && error?.mayHaveBeenSent == true)
            case .limit:
                let response = try await transport.stream(.get, url)
                let error = await failure { () throws(NetworkError) in
                    try await response.body.collect(upToBytes: 1 << 20)
                }
                #expect(error?.code == .responseTooLarge)
            }
            #expect(try await transport.send(.get, server.url).status == 200)
        }
    }

    /// While a stream is read, its connection is taken.
    @Test func theConnectionIsTakenUntilTheBodyEnds() async throws {
        let server = Self.endlessServer()
        defer { server.stop() }
        let clock = ManualClock()
        let transport = transport {
            $0.connectionsPerOrigin = 1
            $0.timeouts.queue = .milliseconds(100)
            $0.clock = clock
        }
        let url = server.url
        let response = try await transport.stream(.get, url + "/endless")
        async let error = failure { () throws(NetworkError) in try await transport.send(.get, url) }
        await transport.waitForStatistics { $0.all.waiting == 1 }
        clock.advance(by: .milliseconds(100))
        #expect(await error?.code == .overloaded)
        #expect(await error?.phase == .queue)
        withExtendedLifetime(response) {}
    }

    /// Memory and descriptors stay flat over paused and cancelled streams.
    @Test func pausedAndCancelledStreams() async throws {
        let server = Self.endlessServer()
        defer { server.stop() }
        let transport = transport {
            $0.connectionsPerOrigin = 50
            $0.clock = ManualClock()
        }
        let url = server.url + "/endless"
        func round(_ count: Int) async throws {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<count {
                    group.addTask {
                        var iterator = try await transport.stream(.get, url).body.makeAsyncIterator()
                        _ = try await iterator.next()
                        // Enough comes meanwhile to fill the window.
                        for _ in 0..<200 { await Task.yield() }
                        guard number % 2 == 0 else { return }
                        let reader = iterator
                        let task = Task {
                            var iterator = reader
                            while let chunk = try await iterator.next() { _ = chunk }
                        }
                        for _ in 0..<(number % 10) { await Task.yield() }
                        task.cancel()
                        _ = await task.result
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await transport.send(.get, server.url).status == 200)
        }
        let count = SoakScale.rounds(100)
        // As many first: then the allocator has what it needs for so many at once.
        try await round(count)
        let (descriptors, resident) = (ProcessState.descriptors, ProcessState.resident)
        try await round(count)
        let (descriptorsAfter, residentAfter) = (ProcessState.descriptors, ProcessState.resident)
        // A leak of the window of each would be 256 KiB, and one of each socket two descriptors, with the server's.
        #expect(
            residentAfter - resident < (14 << 20) + count * (40 << 10),
            "grew by \((residentAfter - resident) >> 10) KiB")
        #expect(
            descriptorsAfter - descriptors < 60 + count / 10,
            "\(descriptors) → \(descriptorsAfter) descriptors")
    }
}
