import GatewayCore
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayNetworkMonitor

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// Connections of the heartbeat to sockets of this machine.
@Suite(.timeLimit(.minutes(1)), .tags(.concurrent)) struct SocketConnectorTests {
    /// A listening socket, or one that is bound and refuses connections.
    private final class Socket: Sendable {
        let descriptor: Int32
        let origin: Origin

        init(listens: Bool = true) throws {
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            var name = sockaddr_in()
            name.sin_family = sa_family_t(AF_INET)
            name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let (code, port) = withUnsafeMutablePointer(to: &name) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    let code = bind(descriptor, address, size)
                    return (code, code == 0 ? getsockname(descriptor, address, &size) : -1)
                }
            }
            try #require(code == 0 && port == 0)
            if listens { listen(descriptor, 16) }
            self.descriptor = descriptor
            origin = try Origin("http://127.0.0.1:\(UInt16(bigEndian: name.sin_port))")
        }

        deinit { close(descriptor) }
    }

    private let connector = SocketConnector(clock: SystemClock())

    /// `network.heartbeat`
    @Test func aListeningSocketAcceptsAndAClosedPortDoesNot() async throws {
        let (open, closed) = (try Socket(), try Socket(listens: false))
        #expect(await connector.canConnect(to: open.origin, within: .seconds(20)) == true)
        #expect(await connector.canConnect(to: closed.origin, within: .seconds(20)) == false)
        // By a name, of which another address may refuse.
        let named = try Origin("https://localhost:\(open.origin.port)")
        #expect(await connector.canConnect(to: named, within: .seconds(20)) == true)
        withExtendedLifetime((open, closed)) {}
    }

    /// `network.heartbeat`
    @Test func whatTakesLongerThanItsTimeIsNotReachable() async throws {
        let clock = ManualClock()
        let gate = Locked(false)
        let connector = SocketConnector(clock: clock) {
            // As a resolver that does not answer.
            while !gate.withLock({ $0 }) { usleep(1_000) }
            return true
        }
        let open = try Socket()
        for _ in 0..<4 {
            async let answer = connector.canConnect(to: open.origin, within: .seconds(5))
            await clock.waitForSleepers(1)
            clock.advance(by: .seconds(5))
            #expect(await answer == false)
        }
        // No more threads than these.
        #expect(await connector.canConnect(to: open.origin, within: .seconds(5)) == nil)
        gate.withLock { $0 = true }
        #expect(
            await isEventually { await connector.canConnect(to: open.origin, within: .seconds(5)) == true })
        withExtendedLifetime(open) {}
    }

    @Test func aCancelledTaskDoesNotWait() async throws {
        let gate = Locked(false)
        let connector = SocketConnector(clock: ManualClock()) {
            while !gate.withLock({ $0 }) { usleep(1_000) }
            return false
        }
        let origin = try Origin("http://127.0.0.1:1")
        let task = Task { await connector.canConnect(to: origin, within: .seconds(5)) }
        task.cancel()
        #expect(await task.value == false)
        gate.withLock { $0 = true }
    }
}
