/// A client that requests one URL over and over.
package protocol BenchClient: Sendable {
    /// Makes one request; `false` where it failed.
    func send() async -> Bool

    /// Requests another path of the same server; `nil` where that failed.
    func get(_ path: String) async -> [UInt8]?
}
