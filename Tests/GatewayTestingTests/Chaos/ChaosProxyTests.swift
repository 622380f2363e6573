import Foundation
import GatewayCore
import GatewayTesting
import TestTiers
import Testing

/// Real bytes through the built program.
@Suite(.timeLimit(.minutes(2))) struct ChaosProxyTests {
    /// Runs blocking work with a proxy in front of a server.
    private static func through(
        _ server: ByteServer, _ conditions: ChaosProxy.Conditions = .perfect, seed: UInt64 = 1,
        _ work: @escaping @Sendable (ChaosProxy) throws -> Void
    ) async throws {
        let proxy = try ChaosProxy.start(to: server.port, conditions: conditions, seed: seed)
        defer {
            proxy.shutdown()
            server.stop()
        }
        try await RawClient.blocking { try work(proxy) }
    }

    private static func conditions(
        _ set: (inout ChaosProxy.Conditions) -> Void
    ) -> ChaosProxy.Conditions {
        var conditions = ChaosProxy.Conditions()
        set(&conditions)
        return conditions
    }

    /// Sends bytes and reads as many.
    private static func echoed(_ bytes: [UInt8], _ connection: RawConnection) -> [UInt8] {
        let descriptor = connection.descriptor
        Thread.detachNewThread { ByteServer.send(bytes[...], descriptor) }
        return connection.read(bytes.count).bytes
    }

    private static func seconds(_ work: () throws -> Void) rethrows -> Double {
        let time = try ContinuousClock().measure(work)
        return time / .seconds(1)
    }

    /// Whether a condition becomes true within half a minute.
    private static func eventually(_ condition: () throws -> Bool) rethrows -> Bool {
        let end = ContinuousClock.now + .seconds(30)
        repeat {
            if try condition() { return true }
            usleep(1000)
        } while ContinuousClock.now < end
        return try condition()
    }

    @Test func bytesAndEndsAreForwarded() async throws {
        try await Self.through(.echo()) { proxy in
            let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }
            let connection = try RawConnection(port: proxy.port)
            #expect(Self.echoed(bytes, connection) == bytes)
            connection.endWriting()
            #expect(connection.read().end == .closed)
            let statistics = try proxy.statistics()
            #expect(statistics.bytesUp == bytes.count && statistics.bytesDown == bytes.count)
            #expect(statistics.accepted == 1 && statistics.open == 0 && statistics.finished == 1)
        }
    }

    /// The loss of TCP packets keeps the order of the bytes.
    @Test func jitterAndLossKeepTheOrder() async throws {
        let conditions = Self.conditions {
            $0.upstream.jitter = .milliseconds(20)
            $0.downstream.loss = 0.1
        }
        try await Self.through(.echo(), conditions) { proxy in
            let connection = try RawConnection(port: proxy.port)
            let bytes = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }
            #expect(Self.echoed(bytes, connection) == bytes)
        }
    }

    @Test func eachDirectionHasItsDelay() async throws {
        try await Self.through(.echo()) { proxy in
            let connection = try RawConnection(port: proxy.port)
            // Without a delay, one of many is quick.
            #expect(Self.eventually { Self.seconds { _ = Self.echoed([1], connection) } < 0.1 })
            try proxy.apply(Self.conditions { $0.upstream.delay = .milliseconds(100) })
            let slow = Self.seconds { #expect(Self.echoed([2], connection) == [2]) }
            try proxy.apply(
                Self.conditions {
                    $0.upstream.delay = .milliseconds(100)
                    $0.downstream.delay = .milliseconds(200)
                })
            let slower = Self.seconds { #expect(Self.echoed([3], connection) == [3]) }
            #expect(slow >= 0.1 && slower >= 0.3, "\(slow) \(slower)")
        }
    }

    @Test func theRateIsLimited() async throws {
        try await Self.through(.echo()) { proxy in
            let connection = try RawConnection(port: proxy.port)
            let bytes = [UInt8](repeating: 7, count: 50_000)
            #expect(Self.eventually { Self.seconds { _ = Self.echoed(bytes, connection) } < 0.2 })
            try proxy.apply(Self.conditions { $0.downstream.bytesPerSecond = 200_000 })
            let time = Self.seconds { #expect(Self.echoed(bytes, connection) == bytes) }
            #expect(time >= 0.2, "\(time)")
        }
    }

    @Test func aStalledDirectionForwardsNothing() async throws {
        try await Self.through(.echo()) { proxy in
            let connection = try RawConnection(port: proxy.port)
            #expect(Self.echoed([1], connection) == [1])
            try proxy.apply(Self.conditions { $0.downstream.isStalled = true })
            connection.write([2])
            #expect(try Self.eventually { try proxy.statistics().bytesUp == 2 })
            #expect(connection.read(1, within: 50).isSilent)
            try proxy.apply(.stalled)
            connection.write([3])
            #expect(connection.read(1, within: 50).isSilent)
            #expect(try proxy.statistics().bytesUp == 2)
            // New connections are accepted, too.
            let second = try RawConnection(port: proxy.port)
            second.write([4])
            #expect(second.read(1, within: 50).isSilent)
            try proxy.apply(.perfect)
            #expect(connection.read(2).bytes == [2, 3] && second.read(1).bytes == [4])
        }
    }

    /// Clients that give up must not leave connections behind.
    @Test(arguments: [true, false])
    func aClientThatLeavesAStalledConnectionEndsIt(isStalledUpstream: Bool) async throws {
        let stalled = Self.conditions {
            $0.upstream.isStalled = isStalledUpstream
            $0.downstream.isStalled = true
        }
        try await Self.through(.http(), stalled) { proxy in
            for _ in 0..<10 {
                let connection = try RawConnection(port: proxy.port)
                connection.write("GET / HTTP/1.1\r\n\r\n")
                #expect(connection.read(1, within: 5).isSilent)
            }
            #expect(try Self.eventually { try proxy.statistics().open == 0 })
        }
    }

    @Test func connectionsAreReset() async throws {
        try await Self.through(.echo(), .resetting) { proxy in
            let connection = try RawConnection(port: proxy.port)
            connection.write([1])
            #expect(connection.read() == .init(end: .reset))
            try proxy.apply(.perfect)
            let second = try RawConnection(port: proxy.port)
            #expect(Self.echoed([1], second) == [1])
            try proxy.closeConnections(reset: true)
            #expect(second.read() == .init(end: .reset))
            let third = try RawConnection(port: proxy.port)
            #expect(Self.echoed([1], third) == [1])
            try proxy.closeConnections()
            #expect(third.read() == .init(end: .closed))
            #expect(try proxy.statistics().reset == 2)
        }
    }

    @Test func aSeedRepeatsItsResets() async throws {
        @Sendable func outcomes(_ proxy: ChaosProxy) throws -> [Bool] {
            try (0..<40).map { _ in
                let connection = try RawConnection(port: proxy.port)
                connection.write([1])
                return connection.read(1).end == .reset
            }
        }
        let half = Self.conditions { $0.resetProbability = 0.5 }
        let runs = Locked<[[Bool]]>([])
        for seed in [3, 3, 4] as [UInt64] {
            try await Self.through(.echo(), half, seed: seed) { proxy in
                let first = try outcomes(proxy)
                try proxy.reset()
                #expect(try outcomes(proxy) == first)
                runs.withLock { $0.append(first) }
            }
        }
        let found = runs.withLock { $0 }
        #expect(found[0] == found[1] && found[0] != found[2])
        #expect((8...32).contains(found[0].count { $0 }))
    }

    @Test func aConnectionIsCutAfterSoManyBytes() async throws {
        let cut = Self.conditions { $0.downstream.cutAfterBytes = 1000 }
        try await Self.through(.echo(), cut) { proxy in
            for size in [999, 1000, 5000] {
                let connection = try RawConnection(port: proxy.port)
                connection.write([UInt8](repeating: 5, count: size))
                let reading = connection.read(within: size < 1000 ? 50 : 20_000)
                #expect(reading.bytes.count == min(size, 1000))
                #expect(reading.isSilent == (size < 1000) && (reading.end == nil) == (size < 1000))
            }
            #expect(try proxy.statistics().cut == 2)
        }
    }

    @Test func connectionsAreRefusedAndAcceptedAgain() async throws {
        try await Self.through(.echo()) { proxy in
            let connection = try RawConnection(port: proxy.port)
            #expect(Self.echoed([1], connection) == [1])
            for _ in 0..<3 {
                try proxy.apply(.refusing)
                #expect(throws: RawConnection.Failure.refused) { try RawConnection(port: proxy.port) }
                #expect(Self.echoed([2], connection) == [2])
                try proxy.apply(.perfect)
                #expect(Self.echoed([3], try RawConnection(port: proxy.port)) == [3])
            }
        }
    }

    @Test func aHalfOpenConnectionNoticesNoEnd() async throws {
        let isDone = Locked(false)
        let server = try ByteServer { _ in while !isDone.withLock({ $0 }) { usleep(1000) } }
        try await Self.through(server) { proxy in
            let connection = try RawConnection(port: proxy.port)
            #expect(Self.eventually { server.connectionCount > 0 })
            try proxy.apply(.halfOpen)
            isDone.withLock { $0 = true }
            #expect(connection.read(within: 100) == .init(isSilent: true))
            let second = try RawConnection(port: proxy.port)
            second.write([1])
            #expect(second.read(within: 50) == .init(isSilent: true))
            #expect(server.connectionCount == 1)
            try proxy.apply(.perfect)
            #expect(connection.read().end != nil)
        }
    }

    @Test(.waits("the kernel repeats an attempt to connect after 1 s")) func aBlackHoleAnswersNothing()
        async throws
    {
        try await Self.through(.echo()) { proxy in
            let connection = try RawConnection(port: proxy.port)
            #expect(Self.echoed([1], connection) == [1])
            try proxy.apply(.blackHole)
            connection.write([2])
            #expect(connection.read(1, within: 50).isSilent)
            // No attempt to connect ends.
            let attempts = (0..<4).map { _ in ConnectAttempt(port: proxy.port) }
            #expect(attempts.allSatisfy { !$0.isOver(within: 20) })
            try proxy.apply(.perfect)
            #expect(connection.read(1).bytes == [2])
            #expect(attempts.allSatisfy { $0.isOver(within: 30_000) })
            #expect(Self.echoed([3], try RawConnection(port: proxy.port)) == [3])
            #expect(try proxy.statistics().accepted == 6)
        }
    }

    @Test func anUnreachableServerResetsTheClient() async throws {
        let server = try ByteServer.echo()
        try await Self.through(server) { proxy in
            server.stop()
            #expect(Self.eventually { (try? RawConnection(port: server.port)) == nil })
            let connection = try RawConnection(port: proxy.port)
            #expect(connection.read().end == .reset)
            #expect(try proxy.statistics().unreachable == 1)
        }
    }

    /// A server that sends without end to clients that do not read is slowed down, and the proxy does not grow.
    @Test func memoryIsBounded() async throws {
        let sent = Locked(0)
        let server = try ByteServer { descriptor in
            let bytes = [UInt8](repeating: 9, count: 1 << 16)
            for _ in 0..<1024 {
                guard ByteServer.send(bytes[...], descriptor) else { return }
                sent.withLock { $0 += 1 }
            }
        }
        let slow = Self.conditions { $0.downstream.bytesPerSecond = 1000 }
        try await Self.through(server, slow) { proxy in
            let connections = try (0..<16).map { _ in try RawConnection(port: proxy.port) }
            #expect(connections.allSatisfy { !$0.read(100).bytes.isEmpty })
            // Until nothing more is taken for half a second, or more than may be held and the system buffers.
            var (last, looks) = (-1, 0)
            #expect(
                Self.eventually {
                    let now = sent.withLock { $0 }
                    looks = now == last ? looks + 1 : 0
                    last = now
                    return looks == 500 || last > 8_192
                })
            let status = try String(contentsOfFile: "/proc/\(proxy.processID)/status", encoding: .utf8)
            let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
            let kibibytes = try #require(line.split(separator: " ").compactMap { Int($0) }.first)
            // 16 × 256 KiB and what the program itself takes; without a bound it would be 1 GiB.
            #if THREAD_SANITIZER
                let limit = 400 << 10
            #else
                let limit = 48 << 10
            #endif
            #expect(kibibytes < limit, "\(kibibytes) KiB")
        }
    }

    @Test func aProxyEndsWithItsOwner() async throws {
        let server = try ByteServer.echo()
        defer { server.stop() }
        var proxy: ChaosProxy? = try ChaosProxy.start(to: server.port)
        let id = try #require(proxy?.processID)
        #expect(kill(id, 0) == 0)
        proxy = nil
        #expect(kill(id, 0) == -1 && errno == ESRCH)
        let second = try ChaosProxy.start(to: server.port)
        second.shutdown()
        second.shutdown()
        #expect(throws: ChaosProxy.Failure.self) { try second.apply(.perfect) }
    }

    /// A copy of a socket in the other process would keep a connection open that was closed here.
    @Test func aProxyHoldsNoDescriptorOfItsOwner() throws {
        var pair: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
        defer { close(pair[0]) }
        let proxy = try ChaosProxy.start(to: 9)
        defer { proxy.shutdown() }
        close(pair[1])
        var polled = pollfd(fd: pair[0], events: Int16(POLLIN), revents: 0)
        #expect(poll(&polled, 1, 30_000) == 1 && polled.revents & Int16(POLLHUP) != 0)
    }

    @Test func whatCannotBeStartedSaysSo() throws {
        let error = #expect(throws: ChaosProxy.Failure.self) {
            try ChaosProxy.start(to: 1, program: "/nonexistent/gateway-chaos")
        }
        #expect(error?.message.contains("/nonexistent/gateway-chaos") == true)
        #expect(throws: ChaosProxy.Failure.self) { try ChaosProxy.start(to: 0) }
    }
}

/// An attempt to connect that is not waited for.
private final class ConnectAttempt {
    private let descriptor: Int32

    init(port: UInt16) {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    deinit { close(descriptor) }

    /// Whether it has succeeded or failed.
    func isOver(within milliseconds: Int32) -> Bool {
        var polled = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return poll(&polled, 1, milliseconds) == 1
    }
}
