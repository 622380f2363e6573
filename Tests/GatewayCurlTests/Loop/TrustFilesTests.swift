import Foundation
import Testing

@testable import GatewayCurl

@Suite struct TrustFilesTests {
    private let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path

    private func write(_ text: String, atomically: Bool = true) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: atomically ? .atomic : [])
    }

    @Test func aChangeIsSeenAtTheNextLook() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        try write("one")
        var files = TrustFiles([path, "/nonexistent"])
        files.look(at: 0)
        #expect(files.version == 0 && files.spelled(path) == path)
        try write("two")
        files.look(at: TrustFiles.interval - 1)
        #expect(files.version == 0)
        files.look(at: TrustFiles.interval)
        #expect(files.version == 1)
        // Written into the same file.
        try write("three", atomically: false)
        files.expectChange()
        files.look(at: TrustFiles.interval + 1)
        #expect(files.version == 2)
        // A file that is gone for a moment, as within its replacement.
        try FileManager.default.removeItem(atPath: path)
        files.look(at: 3 * TrustFiles.interval)
        #expect(files.version == 2)
        try write("three")
        files.look(at: 4 * TrustFiles.interval)
        #expect(files.version == 3)
    }

    @Test func eachVersionHasASpellingOfTheSamePath() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        try write("one")
        var files = TrustFiles([path])
        var spellings: Set<String> = [path]
        for version in 1...20 {
            try write("\(version)", atomically: version % 2 == 0)
            files.expectChange()
            files.look(at: 0)
            let spelling = files.spelled(path)
            #expect(spellings.insert(spelling).inserted)
            #expect(try Data(contentsOf: URL(fileURLWithPath: spelling)) == Data("\(version)".utf8))
            #expect(files.spelled("ca.pem").hasSuffix("/ca.pem") && files.spelled("ca.pem").hasPrefix("."))
        }
    }
}
