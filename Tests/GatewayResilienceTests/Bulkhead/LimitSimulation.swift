import GatewayCore
import GatewayTesting
import Testing

@testable import GatewayResilience

/// Callers with an adaptive limit before a server that processes a number of requests at once, and lets the others wait in
/// its queue. Time is counted in microseconds.
struct LimitSimulation {
    /// A class of operations.
    struct Work {
        var operation = "read"
        /// The mean time that the server needs, without the queue.
        var service = 50_000
        /// How far service times are from the mean, as a share; `nil` for exponential service times.
        var spread: Double? = 0.3
    }

    /// What became of a request.
    private enum End { case response, timeout, rejection }

    private struct Completion {
        let due: Int
        let sent: Int
        let work: Int
        let end: End
    }

    var machine: AdaptiveLimitStateMachine
    /// How many requests the server processes at once. Those of other clients are subtracted.
    var slots = 16
    /// The classes, each with its share of the calls.
    var works = [(work: Work(), share: 1.0)]
    /// How many callers want to call at any time.
    var callers = 200
    /// How long callers wait between their calls, in microseconds.
    var pause = 0
    /// When calls time out; `nil` for never.
    var timeout: Int?
    /// The share of the requests that the server rejects at once.
    var rejected = 0.0
    /// The limits at the ends of the latest ``run(seconds:)``, one for each 100 ms.
    private(set) var limits: [Int] = []
    /// The responses of the latest run.
    private(set) var responses = 0

    private let random: SeededRandomSource
    private let start = ContinuousClock.now
    private(set) var now = 0
    private var inFlight = 0
    /// When the server's slots are free, in order.
    private var free: [Int] = []
    private var completions: [Completion] = []
    private var idle = 0
    private var returning: [Int] = []

    init(_ range: ClosedRange<Int>, seed: UInt64) {
        machine = AdaptiveLimitStateMachine(range: range)
        random = SeededRandomSource(seed: seed)
    }

    var instant: ContinuousClock.Instant { start + .microseconds(now) }

    private func service(_ work: Work) -> Int {
        let factor: Double
        if let spread = work.spread {
            factor = 1 + spread * (2 * random.unit() - 1)
        } else {
            // The sum of exponential parts of a geometric series is exponential: −ln u, without the C library.
            var (sum, u) = (0.0, 1 - random.unit())
            while u < 0.5 {
                u *= 2
                sum += 0.693_147_180_559_945_3
            }
            let t = (1 - u) / (1 + u)
            factor = sum + 2 * (t + t * t * t / 3 + t * t * t * t * t / 5 + t * t * t * t * t * t * t / 7)
        }
        return max(1, Int(Double(work.service) * factor))
    }

    private func choose() -> Int {
        if works.count == 1 { return 0 }
        var left = random.unit() * works.reduce(0) { $0 + $1.share }
        for (index, work) in works.enumerated() {
            left -= work.share
            if left < 0 { return index }
        }
        return works.count - 1
    }

    private mutating func send() {
        inFlight += 1
        let work = choose()
        var (due, end) = (now, End.response)
        if rejected > 0, random.unit() < rejected {
            due += 2_000
            end = .rejection
        } else {
            // A slot that the server no longer has is not used again.
            while free.count > slots { free.removeFirst() }
            while free.count < slots { free.insert(now, at: 0) }
            let begin = max(now, free[0])
            due = begin + service(works[work].work)
            // The server gives a request up when its client does.
            if let timeout, due - now > timeout { (due, end) = (now + timeout, .timeout) }
            if begin < due {
                free.removeFirst()
                var place = free.count
                while place > 0, free[place - 1] > due { place -= 1 }
                free.insert(due, at: place)
            }
        }
        // The earliest is the last.
        var place = 0
        while place < completions.count, completions[place].due > due { place += 1 }
        completions.insert(Completion(due: due, sent: now, work: work, end: end), at: place)
    }

    private mutating func receive(_ completion: Completion) {
        let took = Duration.microseconds(now - completion.sent)
        switch completion.end {
        case .response:
            responses += 1
            machine.record(
                latency: took, operation: works[completion.work].work.operation, inFlight: inFlight,
                at: instant)
        case .timeout, .rejection: machine.dropped(after: took, inFlight: inFlight, at: instant)
        }
        inFlight -= 1
        returning.append(now + pause)
    }

    /// Lets so many seconds pass.
    mutating func run(seconds: Int) {
        (limits, responses) = ([], 0)
        let end = now + seconds * 1_000_000
        var sample = now
        while true {
            let busy = inFlight + returning.count
            idle = max(0, callers - busy)
            while let first = returning.first, first <= now {
                returning.removeFirst()
                idle += 1
            }
            while idle > 0, inFlight < machine.limit {
                idle -= 1
                send()
            }
            var next = end
            if let first = completions.last { next = min(next, first.due) }
            if let first = returning.first { next = min(next, max(first, now + 1)) }
            while sample <= next {
                limits.append(machine.limit)
                sample += 100_000
            }
            now = next
            guard now < end else { return }
            while let first = completions.last, first.due <= now {
                completions.removeLast()
                receive(first)
            }
        }
    }
}

extension LimitSimulation: CustomTestStringConvertible {
    /// The limits of the latest run.
    var testDescription: String {
        "limits \(limits.min() ?? 0)…\(limits.max() ?? 0), now \(machine.limit)"
    }
}
