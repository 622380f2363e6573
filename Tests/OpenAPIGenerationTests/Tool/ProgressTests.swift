#if os(Linux)
    import Foundation
    import Testing

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// What stands in the last line of a terminal while the tool is at work.
    @Suite struct ProgressTests {
        private let tool = ToolRunner()
        private let head = "openapi: 3.1.0\ninfo: { title: T, version: '1' }\npaths: {}\n"

        /// What a run writes to standard error where that is a terminal.
        private func terminal(_ arguments: [String]) throws -> String {
            let master = open("/dev/ptmx", O_RDWR | O_NOCTTY)
            // TIOCSPTLCK and TIOCGPTN: Swift sees neither them nor what wraps them.
            var (lock, number): (CInt, CInt) = (0, 0)
            try #require(ioctl(master, 0x4004_5431, &lock) == 0 && ioctl(master, 0x8004_5430, &number) == 0)
            defer { close(master) }
            let slave = FileHandle(
                fileDescriptor: open("/dev/pts/\(number)", O_RDWR | O_NOCTTY), closeOnDealloc: true)
            let process = tool.process(arguments)
            process.standardOutput = FileHandle.nullDevice
            process.standardError = slave
            try process.run()
            process.waitUntilExit()
            // Once nobody holds the other side, what is left can be read to its end.
            try slave.close()
            var bytes: [UInt8] = []
            var part = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = read(master, &part, part.count)
                guard count > 0 else { break }
                bytes += part.prefix(count)
            }
            return String(decoding: bytes, as: UTF8.self)
        }

        @Test func aTerminalShowsWhatIsDoneAndKeepsNothing() throws {
            let path = try tool.write(head, "a.yaml")
            for (arguments, words) in [
                (["validate", path], ["reading \(path)", "checking \(path)"]),
                (["diff", path, path], ["reading \(path)", "comparing \(path) and \(path)"]),
                (
                    ["generate", path, "--output", tool.directory.appending(path: "out").path],
                    ["reading \(path)", "generating from \(path)"]
                ),
            ] {
                let text = try terminal(arguments)
                for word in words { #expect(text.contains("\r\u{1B}[K" + word), "\(text)") }
                #expect(text.hasSuffix("\r\u{1B}[K"), "\(text)")
            }
        }

        @Test func findingsStandOnALineOfTheirOwn() throws {
            let path = try tool.write("openapi: 3.1.0\npaths: {}\n", "b.yaml")
            for arguments in [["validate", path], ["diff", path, path]] {
                let text = try terminal(arguments)
                #expect(
                    text.contains("\u{1B}[K" + path) || text.contains("\u{1B}[K\u{1B}["), "\(text)")
            }
        }

        @Test func aPipeGetsNoneOfIt() throws {
            let path = try tool.write(head, "a.yaml")
            for arguments in [["validate", path], ["diff", path, path]] {
                let run = try tool.run(arguments)
                #expect(run.status == 0)
                #expect(run.error.isEmpty)
            }
        }
    }
#endif
