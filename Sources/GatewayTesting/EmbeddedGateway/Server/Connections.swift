import GatewayCore

#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#endif

/// The open connections.
final class Connections: Sendable {
    private struct State {
        var opened: UInt64 = 0
        var peak = 0
        var descriptors: [UInt64: Int32] = [:]
    }

    private let state = Locked(State())

    /// How many were opened so far, how many are open, and how many were at once at most.
    var counts: (opened: Int, open: Int, peak: Int) {
        state.withLock { (Int($0.opened), $0.descriptors.count, $0.peak) }
    }

    /// Remembers a new connection and numbers it, from 1.
    func open(_ descriptor: Int32) -> UInt64 {
        state.withLock { state in
            state.opened += 1
            state.descriptors[state.opened] = descriptor
            state.peak = max(state.peak, state.descriptors.count)
            return state.opened
        }
    }

    /// Forgets a connection; its socket is closed after that, never before.
    func close(_ id: UInt64) { state.withLock { $0.descriptors[id] = nil } }

    /// Makes the next close of the connection a reset.
    func resetAtClose(_ id: UInt64) {
        state.withLock { state in
            guard let descriptor = state.descriptors[id] else { return }
            var option = linger(l_onoff: 1, l_linger: 0)
            _ = unsafe setsockopt(
                descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        }
    }

    /// Cuts every connection, in the middle of an answer too.
    func cutAll() {
        state.withLock { state in
            for descriptor in state.descriptors.values { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }
        }
    }
}
