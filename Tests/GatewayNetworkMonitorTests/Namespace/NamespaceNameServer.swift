import Foundation
import GatewayCore

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// A name server (RFC 1035) on 127.0.0.1 of a namespace, which has one address for every name.
final class NamespaceNameServer: Sendable {
    /// Shared with the thread, which outlives this.
    private final class Zone: Sendable {
        let address: Locked<[UInt8]>
        let queries = Locked(0)
        init(_ address: [UInt8]) { self.address = Locked(address) }
    }

    private let descriptor: Int32
    private let zone: Zone

    /// - Parameter address: the four bytes of the address.
    init(in namespace: NetworkNamespace, address: [UInt8]) async throws {
        let descriptor = await namespace.run { () -> Int32 in
            let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            return SocketAddress.with([127, 0, 0, 1], port: 53) { bind(descriptor, $0, $1) } == 0
                ? descriptor : -1
        }
        guard let descriptor, descriptor >= 0 else { throw NamespaceServer.StartError() }
        self.descriptor = descriptor
        let zone = Zone(address)
        self.zone = zone
        Thread.detachNewThread {
            var buffer = [UInt8](repeating: 0, count: 512)
            while true {
                var peer = sockaddr_storage()
                var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
                let count = withUnsafeMutablePointer(to: &peer) { pointer in
                    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                        recvfrom(descriptor, &buffer, buffer.count, 0, $0, &length)
                    }
                }
                guard count > 0 else { return }
                guard let answer = Self.answer(Array(buffer.prefix(count)), zone) else { continue }
                _ = withUnsafePointer(to: &peer) { pointer in
                    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                        sendto(descriptor, answer, answer.count, 0, $0, length)
                    }
                }
            }
        }
    }

    deinit {
        shutdown(descriptor, Int32(SHUT_RDWR))
        close(descriptor)
    }

    /// How many addresses of IPv4 were asked for.
    var queries: Int { zone.queries.withLock { $0 } }

    /// Gives another address from now on.
    func move(to address: [UInt8]) { zone.address.withLock { $0 = address } }

    private static func answer(_ query: [UInt8], _ zone: Zone) -> [UInt8]? {
        let header = 12
        guard query.count > header, let end = query[header...].firstIndex(of: 0), query.count >= end + 5
        else {
            return nil
        }
        let isAddress = query[end + 1] == 0 && query[end + 2] == 1
        var answer = Array(query[..<2])
        // A response to one question, from an authority that resolves for others, too.
        answer += [0x85, 0x80, 0, 1, 0, isAddress ? 1 : 0, 0, 0, 0, 0]
        answer += query[header..<(end + 5)]
        if isAddress {
            zone.queries.withLock { $0 += 1 }
            let hour: [UInt8] = [0, 0, 0x0E, 0x10]
            answer += [0xC0, 0x0C, 0, 1, 0, 1] + hour + [0, 4] + zone.address.withLock { $0 }
        }
        return answer
    }
}
