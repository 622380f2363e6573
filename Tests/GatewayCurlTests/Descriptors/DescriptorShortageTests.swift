import CLibcurl  // Its headers may be what declares the constants of sockets.
import CSpareDescriptors
import Dispatch
import Foundation
import GatewayCore
import GatewayCurl
import GatewayTesting
import TestTiers
import Testing

/// A process that has run out of file descriptors is told so, and goes on once there are some again.
@Suite(.serialized, .tags(.concurrent)) struct DescriptorShortageTests {
    /// With so few descriptors left the loop gets some of what it needs, or all of it but no connection.
    @Test(arguments: 0...9) func aTransportThatCouldNotStartStartsLater(left: Int) async throws {
        let server = FaultServer { _ in ok() }
        defer { server.stop() }
        let shortage = DescriptorShortage(leaving: left)
        defer { shortage.end() }
        let transport = CurlTransport()
        var errors: [NetworkError?] = []
        if left < 3 {
            for _ in 0..<3 {
                errors.append(
                    await failure { () throws(NetworkError) in try await transport.send(.get, server.url) })
            }
        }
        shortage.end()
        for error in errors {
            #expect(error?.code == .overloaded && error?.mayHaveBeenSent == false)
            #expect(error?.message.contains("descriptor") == true)
        }
        #expect(try await transport.send(.get, server.url).status == 200)
        await transport.shutdown()
        let closed = await failure { () throws(NetworkError) in try await transport.send(.get, server.url) }
        #expect(closed?.code == .closed)
    }

    /// Dispatch looks at its workers while work waits for them. Without spare descriptors it would end the tests.
    @Test(.waits("Dispatch looks at its workers once a second"))
    func dispatchHasDescriptorsForItself() {
        let before = spare_descriptors_used()
        let shortage = DescriptorShortage()
        let (end, group) = (DispatchSemaphore(value: 0), DispatchGroup())
        for _ in 0..<32 { DispatchQueue.global().async(group: group) { end.wait() } }
        for _ in 0..<1_000 where spare_descriptors_used() == before { usleep(5_000) }
        shortage.end()
        for _ in 0..<32 { end.signal() }
        group.wait()
        #expect(spare_descriptors_used() > before)
    }

    @Test func manyRequestsAtOnceAreAllTold() async throws {
        let server = FaultServer { _ in ok() }
        defer { server.stop() }
        let shortage = DescriptorShortage()
        defer { shortage.end() }
        let transport = transport { $0.loops = 3 }
        let codes = await withTaskGroup(of: NetworkError.Code?.self) { group in
            for number in 0..<200 {
                group.addTask {
                    await failure { () throws(NetworkError) in
                        try await transport.send(.get, "http://127.0.0.1:\(number + 1)")
                    }?.code
                }
            }
            var codes: [NetworkError.Code?] = []
            for await code in group { codes.append(code) }
            return codes
        }
        shortage.end()
        #expect(codes.count == 200 && codes.allSatisfy { $0 == .overloaded })
        #expect(try await transport.send(.get, server.url).status == 200)
    }

    @Test func aTransportThatNeverStartedCanBeShutDown() async throws {
        let shortage = DescriptorShortage()
        let transport = CurlTransport()
        let error = await failure { () throws(NetworkError) in
            try await transport.send(.get, "http://127.0.0.1:1")
        }
        await transport.shutdown()
        shortage.end()
        #expect(error?.code == .overloaded)
        let closed = await failure { () throws(NetworkError) in
            try await transport.send(.get, "http://127.0.0.1:1")
        }
        #expect(closed?.code == .closed)
    }

    /// The loop starts, fails and starts again while requests come in and, in the end, while it is closed: each gets
    /// its answer.
    @Test func aShortageThatEndsAmongRequests() async throws {
        let server = FaultServer { _ in ok() }
        defer { server.stop() }
        for round in 0..<20 {
            let shortage = DescriptorShortage(leaving: round % 5)
            defer { shortage.end() }
            let transport = transport { $0.loops = 2 }
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<40 {
                    group.addTask {
                        let error = await failure { () throws(NetworkError) in
                            try await transport.send(.get, server.url)
                        }
                        #expect(error == nil || error?.code == .overloaded || error?.code == .closed)
                        #expect(error?.mayHaveBeenSent != true || error?.code == .closed)
                    }
                    if number == 20 { shortage.end() }
                    if number == 35, round % 2 == 1 { group.addTask { await transport.shutdown() } }
                }
            }
            guard round % 2 == 0 else { continue }
            #expect(try await transport.send(.get, server.url).status == 200)
            await transport.shutdown()
        }
    }

    /// Literal addresses, names, TLS and files, with a transport that is at work.
    @Test func aShortageInTheMiddleOfWork() async throws {
        let server = FaultServer { _ in ok() }
        defer { server.stop() }
        let other = FaultServer { _ in ok() }
        defer { other.stop() }
        let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        try Data("content".utf8).write(to: URL(fileURLWithPath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        let transport = CurlTransport()
        #expect(try await transport.send(.get, server.url).status == 200)

        let urls = [other.url, "http://localhost:\(other.port)", "https://127.0.0.1:\(other.port)"]
        var errors: [NetworkError?] = []
        let shortage = DescriptorShortage()
        defer { shortage.end() }
        for url in urls {
            errors.append(await failure { () throws(NetworkError) in try await transport.send(.get, url) })
        }
        // libcurl knows localhost by itself; this one needs a resolver.
        errors.append(
            await failure { () throws(NetworkError) in
                try await transport.send(.get, "http://service.invalid")
            })
        errors.append(
            await failure { () throws(NetworkError) in
                try await transport.send(.post, server.url, body: .file(path))
            })
        // A connection that is there still serves.
        let kept = await failure { () throws(NetworkError) in try await transport.send(.get, server.url) }
        shortage.end()
        for error in errors {
            #expect(
                error?.code == .overloaded && error?.mayHaveBeenSent == false, "\(String(describing: error))")
            #expect(error?.message.contains("descriptor") == true)
        }
        #expect(kept == nil)
        let unknown = await failure { () throws(NetworkError) in
            try await transport.send(.get, "http://service.invalid")
        }
        #expect(unknown?.code == .dnsFailure)
        for url in urls.dropLast() { #expect(try await transport.send(.get, url).status == 200) }
        #expect(try await transport.send(.post, server.url, body: .file(path)).status == 200)
    }

    /// The file of trusted certificates is there; only a descriptor to read it is missing.
    @Test(.enabled(if: TLSServer.openssl != nil, "openssl is not installed"))
    func aShortageIsNoMistakeOfTheConfiguration() async throws {
        let server = try TLSServer()
        defer { server.stop() }
        guard case .success = await server.sendWhenListening(transport { $0.caFile = server.certificate })
        else {
            Issue.record("the server does not start")
            return
        }
        let fresh = transport { $0.caFile = server.certificate }
        _ = await failure { () throws(NetworkError) in try await fresh.send(.get, "http://127.0.0.1:1") }
        let shortage = DescriptorShortage(leaving: 1)
        defer { shortage.end() }
        let error = await failure { () throws(NetworkError) in try await fresh.send(.get, server.url) }
        shortage.end()
        #expect(error?.code == .overloaded, "\(String(describing: error))")
        #expect(try await fresh.send(.get, server.url).status == 200)
    }

    @Test func theTestKitsServerStartsLater() async throws {
        try EmbeddedGateway.start().shutdown()
        let before = ProcessState.descriptors
        var failures = 0
        for left in stride(from: 0, through: 48, by: 4) {
            let shortage = DescriptorShortage(leaving: left)
            do throws(EmbeddedGateway.StartError) {
                let gateway = try EmbeddedGateway.start()
                shortage.end()
                gateway.shutdown()
            } catch {
                shortage.end()
                failures += 1
                #expect(error.message.contains("descriptor"), "\(error)")
            }
        }
        #expect(failures > 2 && failures < 13)
        #expect(ProcessState.descriptors <= before)
        let gateway = try EmbeddedGateway.start()
        defer { gateway.shutdown() }
        #expect(try await CurlTransport().send(.get, "\(gateway.origin)/").status > 0)
    }

    /// A connection that cannot be accepted waits for its turn; meanwhile the server neither ends nor spins.
    @Test func theTestKitsServerAcceptsLater() async throws {
        let gateway = try EmbeddedGateway.start()
        defer { gateway.shutdown() }
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = gateway.origin.port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let shortage = DescriptorShortage()
        defer { shortage.end() }
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        let request = Array("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".utf8)
        let sent = send(descriptor, request, request.count, Int32(MSG_NOSIGNAL))
        let start = clock()
        await elapse(milliseconds: 300)
        let used = clock() - start
        shortage.end()
        #expect(isConnected && sent == request.count)
        #expect(used < CLOCKS_PER_SEC / 10, "processor time while nothing could be accepted")
        var answer = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &answer, answer.count, 0)
        #expect(String(decoding: answer.prefix(max(0, count)), as: UTF8.self).hasPrefix("HTTP/1.1 "))
    }
}
