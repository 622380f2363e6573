import Foundation
import GatewayTesting
import Testing

@testable import GatewayAuth

/// Who is sending a refresh token, as a note beside the record says.
@Suite struct TokenSenderTests {
    private static func sender(_ process: Int32, start: UInt64) throws -> TokenSender {
        try #require(TokenSender(Array("\(process) \(start) 1 9000000000 \n".utf8)))
    }

    @Test func aNoteIsReadAsItWasWritten() {
        let sender = TokenSender(number: 7, limit: 1_000)
        #expect(TokenSender(sender.bytes) == sender)
        #expect(sender.process == getpid() && sender.start > 0)
        // Cut anywhere it is no note, such as one that is being written.
        for count in 0..<sender.bytes.count {
            #expect(TokenSender(Array(sender.bytes.prefix(count))) == nil)
        }
        for text in ["1 2 3 \n", "-1 2 3 4 \n", "0 2 3 4 \n", "1 2 3 4 5 \n"] {
            #expect(TokenSender(Array(text.utf8)) == nil)
        }
        #expect(TokenSender(Array("1 2 3 99999999999999999999 \n".utf8)) == nil)
    }

    @Test func itCountsUntilItsLimit() {
        let sender = TokenSender(number: 7, limit: 1_000)
        #expect(sender.isSending(at: .seconds(1_000)) && !sender.isSending(at: .seconds(1_001)))
    }

    @Test func itCountsForAsLongAsItsProcessLives() throws {
        let own = TokenSender(number: 7, limit: 9_000_000_000)
        #expect(try Self.sender(own.process, start: own.start).isSending(at: .seconds(1)))
        // A later process with the same number.
        #expect(try !Self.sender(own.process, start: own.start - 1).isSending(at: .seconds(1)))
        let child = Process()
        child.executableURL = URL(fileURLWithPath: "/bin/true")
        try child.run()
        child.waitUntilExit()
        #expect(try !Self.sender(child.processIdentifier, start: own.start).isSending(at: .seconds(1)))
    }
}
