import Foundation

// A process like any other that shares a token store, told by lines what to do. See `TokenProbe` of TokenProbing.
do {
    let probe = try Probe(environment: ProcessInfo.processInfo.environment)
    say("ready")
    while let line = readLine() { probe.run(line) }
} catch {
    say("unusable: \(error)")
    exit(2)
}
