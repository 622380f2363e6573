import Foundation
import GatewayAuth
import GatewayCore

/// Writes a line before and after each step of a refresh, for the test that joins the traces of all processes with the
/// journal of the token server.
enum Trace {
    /// A line begins with `~` and the time since the machine started, in nanoseconds.
    static func step(_ words: String) {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        say("~ \(time.tv_sec * 1_000_000_000 + time.tv_nsec) \(words)")
    }

    /// Tells tokens apart and opens nothing.
    static func digest(_ secret: Secret?) -> String {
        secret.map { String(Fingerprint.of($0).prefix(12)) } ?? "-"
    }

    static func code(_ error: any Error) -> String {
        (error as? NetworkError).map { "\($0.code)" } ?? "untyped:\(type(of: error))"
    }
}

/// Traces what goes to the token endpoint, and what comes back.
struct TracingTransport: Transport {
    let transport: any Transport

    func send(_ request: HTTPRequest, context: RequestContext) async throws(NetworkError) -> HTTPResponse {
        let form = String(decoding: request.body.bytes ?? [], as: UTF8.self).split(separator: "&")
        let name = "refresh_token="
        let token = form.first { $0.hasPrefix(name) }.map { Secret(String($0.dropFirst(name.count))) }
        let digest = Trace.digest(token)
        Trace.step("send \(digest)")
        do {
            let response = try await transport.send(request, context: context)
            Trace.step("answer \(digest) \(response.status)")
            return response
        } catch {
            Trace.step("answer \(digest) \(error.code)\(error.mayHaveBeenSent ? " sent" : "")")
            throw error
        }
    }
}

/// Traces what is stored.
struct TracingStore: TokenStore {
    let store: any TokenStore

    func load(_ key: TokenKey) async throws(NetworkError) -> StoredToken? {
        do {
            let record = try await store.load(key)
            Trace.step("read \(Self.words(record))")
            return record
        } catch {
            Trace.step("read-failed \(error.code)")
            throw error
        }
    }

    func store(
        _ record: StoredToken, for key: TokenKey, replacing generation: UInt64
    ) async throws(NetworkError) -> Bool {
        let words = "\(Self.words(record)) \(generation)"
        Trace.step("storing \(words)")
        do {
            let isStored = try await store.store(record, for: key, replacing: generation)
            Trace.step("\(isStored ? "stored" : "overtaken") \(words)")
            return isStored
        } catch {
            Trace.step("store-failed \(words) \(error.code)")
            throw error
        }
    }

    func lock(_ key: TokenKey, deadline: Deadline) async throws(NetworkError) -> any TokenStoreLock {
        Trace.step("locking")
        do {
            let lock = try await store.lock(key, deadline: deadline)
            Trace.step("locked")
            return Lock(lock: lock)
        } catch {
            Trace.step("lock-failed \(error.code)")
            throw error
        }
    }

    private struct Lock: TokenStoreLock {
        let lock: any TokenStoreLock
        var isHeld: Bool { lock.isHeld }
        func prepare(until deadline: Deadline?) async throws(NetworkError) {
            do {
                try await lock.prepare(until: deadline)
                Trace.step("prepared")
            } catch {
                Trace.step("prepare-failed \(error.code)")
                throw error
            }
        }
        func release() async {
            Trace.step("releasing")
            await lock.release()
        }
    }

    private static func words(_ record: StoredToken?) -> String {
        record.map { "\($0.generation) \(Trace.digest($0.grant?.refreshToken))" } ?? "0 -"
    }
}
