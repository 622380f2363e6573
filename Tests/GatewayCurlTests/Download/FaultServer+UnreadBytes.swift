import Foundation

extension FaultServer {
    /// The bytes on the server's connections that were written at one end and not read at the other.
    var unreadBytes: Int {
        let table = (try? String(contentsOfFile: "/proc/net/tcp", encoding: .utf8)) ?? ""
        let hex = String(port, radix: 16, uppercase: true)
        let suffix = ":" + String(repeating: "0", count: 4 - hex.count) + hex
        var count = 0
        for line in table.split(separator: "\n") {
            // Number, local address, remote address, state, bytes to send:bytes to read.
            let words = line.split(separator: " ")
            guard words.count > 4, words[1].hasSuffix(suffix) || words[2].hasSuffix(suffix),
                words[3] != "0A"  // Listens.
            else { continue }
            count += words[4].split(separator: ":").reduce(0) { $0 + (Int($1, radix: 16) ?? 0) }
        }
        return count
    }
}
