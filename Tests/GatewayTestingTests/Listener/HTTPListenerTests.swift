import Foundation
import GatewayCore
import GatewayListener
import GatewayTesting
import TestTiers
import Testing

@Suite(.tags(.concurrent), .timeLimit(.minutes(1))) struct HTTPListenerTests {
    private static let hello: HTTPListener.Handler = { _ in .reply(.init(body: Array("hello".utf8))) }

    private static func configuration(_ address: HTTPListener.Address) -> HTTPListener.Configuration {
        HTTPListener.Configuration(addresses: [address])
    }

    /// A folder whose name is short enough for the path of a socket.
    private static func withFolder(_ body: (String) async throws -> Void) async throws {
        let folder = "/tmp/listener-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await body(folder)
    }

    @Test func connectionsAreBounded() async throws {
        var configuration = Self.configuration(.loopback(port: 0))
        configuration.connectionsPerThread = 2
        let listener = try HTTPListener(configuration, handler: Self.hello)
        defer { listener.stop() }
        let port = try #require(listener.port)
        try await RawClient.blocking {
            let (first, second) = (try RawConnection(port: port), try RawConnection(port: port))
            for connection in [first, second] {
                connection.write(RawClient.text("GET", "/"))
                #expect(connection.response().text == "hello")
            }
            let third = try RawConnection(port: port)
            third.write(RawClient.text("GET", "/"))
            #expect(third.response().hasNoByte)
            // Those that are open go on.
            for connection in [first, second] {
                connection.write(RawClient.text("GET", "/"))
                #expect(connection.response().text == "hello")
            }
        }
        #expect(await isEventually { listener.connectionCounts.open == 0 })
        #expect(try await RawClient.send(port: port, "GET", "/").text == "hello")
        #expect(listener.connectionCounts.peak == 2)
    }

    @Test(.waits("the limit of libmicrohttpd is in whole seconds"))
    func whoeverTransfersNothingIsDisconnected() async throws {
        var configuration = Self.configuration(.loopback(port: 0))
        configuration.idleLimit = .seconds(1)
        let large = [UInt8](repeating: 65, count: 32 << 20)
        let listener = try HTTPListener(configuration) { _ in .reply(.init(body: large)) }
        defer { listener.stop() }
        let port = try #require(listener.port)
        try await RawClient.blocking {
            let silent = try RawConnection(port: port)
            // Reads nothing of a response that no buffer of the system can hold.
            let slow = try RawConnection(port: port)
            slow.write(RawClient.text("GET", "/"))
            #expect(silent.read(through: "\n").end == .closed)
            for _ in 0..<30_000 where listener.connectionCounts.open > 0 { usleep(1_000) }
            #expect(listener.connectionCounts.open == 0)
            withExtendedLifetime(slow) {}
        }
    }

    /// A client that sends a byte now and then is not idle, but the whole header has a limit, also that of a later request.
    @Test(arguments: [0, 1]) func theHeaderOfARequestHasToComeInTime(before: Int) async throws {
        let clock = ManualClock()
        var configuration = Self.configuration(.loopback(port: 0))
        configuration.clock = clock
        let listener = try HTTPListener(configuration, handler: Self.hello)
        defer { listener.stop() }
        let port = try #require(listener.port)
        try await RawClient.blocking {
            let slow = try RawConnection(port: port)
            for _ in 0..<before {
                slow.write(RawClient.text("GET", "/"))
                #expect(slow.response().text == "hello")
            }
            slow.write("GET / HTTP/1.1\r\nHost: localhost\r\n")
            for _ in 0..<6 {
                clock.advance(by: .seconds(10))
                slow.write("X: y\r\n")
                // Another client makes sure that the loop has looked.
                let other = try RawConnection(port: port)
                other.write(RawClient.text("GET", "/"))
                #expect(other.response().text == "hello")
            }
            // It depends on what was read by then which of them the system sends.
            #expect([.closed, .reset].contains(slow.read(through: "\n").end))
        }
    }

    @Test func contentBeyondTheLimitIsRefused() async throws {
        var configuration = Self.configuration(.loopback(port: 0))
        configuration.maximumRequestBytes = 3
        let listener = try HTTPListener(configuration, handler: Self.hello)
        defer { listener.stop() }
        let port = try #require(listener.port)
        #expect(try await RawClient.send(port: port, "POST", "/", body: "abc").status == 200)
        #expect(try await RawClient.send(port: port, "POST", "/", body: "abcd").status == 413)
    }

    // MARK: Unix domain sockets

    @Test func onlyTheUserCanConnectToASocket() async throws {
        try await Self.withFolder { folder in
            let path = folder + "/socket"
            let listener = try HTTPListener(Self.configuration(.unix(path: path)), handler: Self.hello)
            defer { listener.stop() }
            #expect(listener.addresses == [.unix(path: path)])
            var status = stat()
            #expect(lstat(path, &status) == 0)
            #expect(status.st_mode == S_IFSOCK | 0o600)
            try await RawClient.blocking {
                let connection = try RawConnection(path: path)
                for _ in 0..<2 {
                    connection.write(RawClient.text("GET", "/"))
                    #expect(connection.response().text == "hello")
                }
            }
        }
    }

    @Test func aSocketIsReplacedOnlyIfItWasLeftBehind() async throws {
        try await Self.withFolder { folder in
            let path = folder + "/socket"
            let configuration = Self.configuration(.unix(path: path))
            // A process that has ended leaves a socket that nobody listens on.
            let left = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
            let bound = withUnsafePointer(to: address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(left, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            #expect(bound == 0)
            close(left)
            let listener = try HTTPListener(configuration, handler: Self.hello)
            let error = #expect(throws: HTTPListener.StartError.self) {
                try HTTPListener(configuration, handler: Self.hello)
            }
            #expect(error?.message == "\(path) cannot be listened on: the address is already in use.")
            listener.stop()
            #expect(!FileManager.default.fileExists(atPath: path))
            // What is no socket is never removed.
            try "precious".write(toFile: path, atomically: true, encoding: .utf8)
            #expect(throws: HTTPListener.StartError.self) {
                try HTTPListener(configuration, handler: Self.hello)
            }
            #expect(try String(contentsOfFile: path, encoding: .utf8) == "precious")
        }
    }

    @Test(arguments: ["", String(repeating: "a", count: 108), "/tmp/a\u{0}b"])
    func aPathThatNoSocketCanHaveIsNamed(path: String) throws {
        let error = #expect(throws: HTTPListener.StartError.self) {
            try HTTPListener(Self.configuration(.unix(path: path)), handler: Self.hello)
        }
        #expect(error?.message.contains("1 to 107 bytes") == true)
    }

    @Test func aFolderThatIsMissingIsNamed() throws {
        let error = #expect(throws: HTTPListener.StartError.self) {
            try HTTPListener(Self.configuration(.unix(path: "/nowhere/socket")), handler: Self.hello)
        }
        #expect(error?.message == "/nowhere/socket cannot be listened on: the folder does not exist.")
    }
}

extension HTTPListener {
    /// The port of the first address.
    var port: UInt16? { if case .loopback(let port)? = addresses.first { port } else { nil } }
}
