import Foundation
import GatewayCore
import GatewayTesting
import Testing

@testable import GatewayResilience

private let hishelPython = ProcessInfo.processInfo.environment["GATEWAY_TEST_HISHEL_PYTHON"]

/// Exchanges decided by ours and by hishel (PyPI), which `scripts/servers.sh` installs: 20,000 at the soak's length.
@Suite(
    .timeLimit(.minutes(3)),
    .enabled(if: hishelPython != nil || ProcessInfo.processInfo.environment["CI"] != nil))
struct HishelTests {
    @Test func everyDisagreementHasAClause() async throws {
        let python = try #require(hishelPython, "scripts/servers.sh exports GATEWAY_TEST_HISHEL_PYTHON.")
        let random = SeededRandomSource(seed: TestSeed.value(9111))
        let cases = (0..<SoakScale.rounds(2_000)).map { _ in ExchangeCase(random) }
        let folder = FileManager.default.temporaryDirectory.appending(path: "hishel-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let encoder = JSONEncoder()
        let lines = try cases.map { String(decoding: try encoder.encode($0), as: UTF8.self) }
        let (input, output) = (folder.appending(path: "cases"), folder.appending(path: "decisions"))
        try (lines.joined(separator: "\n") + "\n").write(to: input, atomically: true, encoding: .utf8)
        let script = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../../scripts/hishel/decide.py").standardizedFileURL
        let child = try ChildProcess([python, "-B", script.path, input.path, output.path])
        #expect(child.wait() == 0)
        let theirs = try String(contentsOf: output, encoding: .utf8).split(separator: "\n").map(String.init)
        try #require(theirs.count == cases.count)
        var kinds: [String: Int] = [:]
        for (index, (exchange, their)) in zip(cases, theirs).enumerated() {
            let ours = exchange.decision()
            guard ours != their else { continue }
            guard let kind = HishelDisagreement.kind(exchange, ours: ours, theirs: their) else {
                Issue.record("ours \(ours), hishel \(their): \(lines[index])")
                continue
            }
            kinds[kind.rawValue, default: 0] += 1
        }
        // Each kind occurs in so many: none is left over from another version.
        guard cases.count >= 20_000 else { return }
        #expect(Set(kinds.keys) == Set(HishelDisagreement.allCases.map(\.rawValue)), "\(kinds)")
    }
}
