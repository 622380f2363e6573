import Foundation

switch Options.parse(Array(CommandLine.arguments.dropFirst())) {
case .help: print(Options.usage)
case .wrong(let problem):
    Output.complain("\(problem) (see --help)")
    exit(2)
case .orders:
    do {
        exit(try await OrderDesk().run { readLine() } ? 0 : 1)
    } catch {
        Output.complain("\(error)")
        exit(1)
    }
case .demonstration:
    do {
        exit(try await Demonstration().run() ? 0 : 1)
    } catch {
        Output.complain("\(error)")
        exit(1)
    }
}
