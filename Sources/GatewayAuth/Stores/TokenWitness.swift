package import GatewayCore

/// A local directory with the marks of the records in a remote store: one file per key, without secrets.
package final class TokenWitness: Sendable {
    private let directory: TokenDirectory
    private let worker = WorkerThread()

    /// - Parameter directory: the path of the directory, under the rules of ``FileTokenStore``.
    package init(directory: String) { self.directory = TokenDirectory(path: directory, onStep: nil) }

    /// The mark of a key; `nil` if no record was ever seen.
    package func mark(of key: TokenKey) async throws(NetworkError) -> TokenMark? {
        let directory = directory
        return try await worker.run { () throws(NetworkError) in try directory.mark(of: key) }
    }

    /// Writes the mark of a record; without a record, allocates space for one.
    package func note(_ record: StoredToken?, of key: TokenKey) async throws(NetworkError) {
        let (directory, mark) = (directory, record.map { TokenMark($0) })
        try await worker.run { () throws(NetworkError) in try directory.raiseMark(of: key, to: mark) }
    }
}
