import Testing

@testable import GatewayCurl

/// Every order of what the loop's thread, callers who visit it, and commands that come in can do.
@Suite struct LoopOwnershipTests {
    /// The loop and all around it, with the two event descriptors as flags.
    private struct World {
        enum Thread: Hashable { case atWork, asleep, resting }

        var ownership = LoopOwnership(longestStreak: 2)
        var thread = Thread.atWork
        var isVisited = false
        var commands = 0
        var toCome = 4
        var sleepSignal = false
        var restSignal = false

        /// What tells two worlds apart.
        var name: String {
            "\(ownership) \(thread) \(isVisited) \(commands) \(toCome) \(sleepSignal) \(restSignal)"
        }

        mutating func run(_ call: LoopOwnership.Call) {
            switch call {
            case .none: break
            case .interruptSleep: sleepSignal = true
            case .endRest: restSignal = true
            }
        }
    }

    private enum Step: CaseIterable {
        case commandComes, threadTakes, threadSleeps, threadRests, threadWakesFromSleep, threadTimesOut
        case threadEndsRest, restTimesOut, callerEnters, callerLeavesIdle, callerLeavesBusy
    }

    /// The world after a step; `nil` where the step cannot be.
    private func step(_ step: Step, _ world: World) -> World? {
        var world = world
        switch step {
        case .commandComes:
            guard world.toCome > 0 else { return nil }
            world.toCome -= 1
            world.commands += 1
            world.run(world.ownership.call())
        case .threadTakes:
            guard world.thread == .atWork else { return nil }
            world.ownership.awake()
            world.commands = 0
        case .threadSleeps:
            guard world.thread == .atWork, world.commands == 0 else { return nil }
            world.ownership.sleep()
            world.thread = .asleep
        case .threadRests:
            guard world.thread == .atWork, world.commands == 0 else { return nil }
            world.ownership.rest()
            world.thread = .resting
        case .threadWakesFromSleep:
            guard world.thread == .asleep, world.sleepSignal else { return nil }
            world.sleepSignal = false
            world.thread = .atWork
        case .threadTimesOut:
            guard world.thread == .asleep else { return nil }
            world.thread = .atWork
        case .threadEndsRest, .restTimesOut:
            guard world.thread == .resting, step == .restTimesOut || world.restSignal else { return nil }
            if step == .threadEndsRest { world.restSignal = false }
            if world.ownership.endRest() { world.thread = .atWork }
        case .callerEnters:
            guard !world.isVisited else { return nil }
            world.isVisited = world.ownership.enter()
        case .callerLeavesIdle, .callerLeavesBusy:
            guard world.isVisited else { return nil }
            let isIdle = step == .callerLeavesIdle && world.commands == 0
            if world.ownership.leave(isIdle: isIdle) { world.restSignal = true }
            world.isVisited = false
        }
        return world
    }

    @Test func oneOwnerAtATimeAndNothingIsLeftLying() {
        var seen: [String: World] = [:]
        var open = [World()]
        var steps: Set<Step> = []
        while let world = open.popLast() {
            guard seen.updateValue(world, forKey: world.name) == nil else { continue }
            // A caller and the thread never have it both.
            #expect(!(world.isVisited && world.thread != .resting), "\(world.name)")
            if world.commands > 0 {
                // Whoever is to do something about it is at work or will wake.
                let isSeen =
                    world.thread == .atWork || world.isVisited
                    || (world.thread == .asleep && world.sleepSignal)
                    || (world.thread == .resting && world.restSignal)
                #expect(isSeen, "\(world.name)")
                #expect(!world.isVisited || world.sleepSignal, "a caller is told: \(world.name)")
            }
            for step in Step.allCases {
                guard let next = self.step(step, world) else { continue }
                steps.insert(step)
                open.append(next)
            }
        }
        #expect(steps.count == Step.allCases.count)
        #expect(seen.count > 100)
    }

    @Test func theThreadHasItsTurnAfterSoManyCallers() {
        var ownership = LoopOwnership(longestStreak: 3)
        ownership.rest()
        var entries = 0
        while ownership.enter() {
            entries += 1
            _ = ownership.leave(isIdle: true)
        }
        #expect(entries == 3)
        ownership.awake()
        ownership.rest()
        let mayEnter = ownership.enter()
        #expect(mayEnter)
    }

    @Test func aCallerWhoIsOverdueHandsTheLoopBack() {
        var ownership = LoopOwnership()
        ownership.rest()
        let hasEntered = ownership.enter()
        #expect(hasEntered)
        let isFree = ownership.endRest()
        #expect(!isFree)
        let callsThread = ownership.leave(isIdle: true)
        #expect(callsThread)
    }
}
