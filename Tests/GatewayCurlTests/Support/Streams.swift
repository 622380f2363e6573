import CLibcurl  // Its headers may be what declares the constants of sockets.
import Foundation
import GatewayCore
import GatewayCurl

extension CurlTransport {
    /// Sends a request whose response is read as a stream.
    func stream(
        _ method: HTTPMethod = .get, _ url: String, body: HTTPBody = .empty, deadline: Duration? = nil,
        clock: any GatewayClock = SystemClock()
    ) async throws(NetworkError) -> HTTPResponse {
        var context = RequestContext(options: CallOptions(deadline: deadline), clock: clock)
        context.response = .stream
        return try await send(try HTTPRequest(method, url, body: body), context: context)
    }
}

/// Bytes that tell where they stand.
func pattern(_ range: Range<Int>) -> [UInt8] { range.map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) } }

/// Returns after a while of real time, which no thread of Swift's pool spends.
func elapse(milliseconds: UInt32) async {
    await withCheckedContinuation { continuation in
        Thread.detachNewThread {
            usleep(milliseconds * 1000)
            continuation.resume()
        }
    }
}

/// The process as the system sees it.
enum ProcessState {
    static var descriptors: Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
    }

    /// The number of threads of transports.
    static var loopThreads: Int {
        let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        return tasks.count {
            (try? String(contentsOfFile: "/proc/self/task/\($0)/comm", encoding: .utf8)) == "gateway-curl\n"
        }
    }

    /// Resident memory in bytes.
    static var resident: Int {
        let fields = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ")
        return (fields.flatMap { Int($0[1]) } ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE)))
    }
}

extension FaultConnection {
    /// Writes for as long as the client reads; counts what the system took.
    func writeEndlessly(_ tally: Tally? = nil) {
        let piece = [UInt8](repeating: 0x61, count: 65_536)
        var sent = piece.count
        while sent > 0 {
            sent = piece.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if sent > 0 { tally?.add() }
        }
    }
}
