import Foundation
import GatewayCore
import Testing

@Suite struct FileBytesTests {
    /// Standard error may be a pipe whose reader has ended, such as `head`.
    @Test func aPipeThatNobodyReadsDoesNotEndTheProcess() throws {
        var ends: [Int32] = [-1, -1]
        #expect(pipe(&ends) == 0)
        let text = Array("text".utf8)
        try FileBytes.writeAllToPipe(text[...], ends[1])
        #expect(try FileBytes.readPart(of: ends[0], upToBytes: 10) == text)
        close(ends[0])
        let handler = signal(SIGPIPE, SIG_DFL)
        defer { signal(SIGPIPE, handler) }
        let failure = #expect(throws: SystemFailure.self) {
            try FileBytes.writeAllToPipe(text[...], ends[1])
        }
        #expect(failure?.code == EPIPE)
        var pending = sigset_t()
        sigpending(&pending)
        #expect(sigismember(&pending, SIGPIPE) == 0)
        close(ends[1])
    }
}
