/// A parsed pattern.
indirect enum PatternPart {
    case set(ScalarSet)
    case start, end
    case boundary(isWanted: Bool)
    case sequence([PatternPart])
    case choice([PatternPart])
    /// `high` is nil without a limit.
    case repeated(PatternPart, low: Int, high: Int?)
    case lookahead(PatternPart, isWanted: Bool)
}

/// Translates a parsed pattern into steps, from its end to its start.
struct PatternCompiler {
    private(set) var steps: [TextPattern.Step] = []
    private(set) var lookaheads: [Range<Int>] = []
    /// Whether a step leads to one of a higher offset.
    private(set) var repeats = false

    /// The first step of a whole pattern. Nil if there are too many steps.
    mutating func add(_ part: PatternPart) -> Int? {
        guard let end = append(.accept) else { return nil }
        return add(part, before: end)
    }

    private mutating func append(_ step: TextPattern.Step) -> Int? {
        guard steps.count < TextPattern.size else { return nil }
        steps.append(step)
        return steps.count - 1
    }

    private mutating func add(_ part: PatternPart, before next: Int) -> Int? {
        switch part {
        case .set(let set): return append(.set(set, next))
        case .start: return append(.start(next))
        case .end: return append(.end(next))
        case .boundary(let isWanted): return append(.boundary(isWanted: isWanted, next))
        case .sequence(let parts):
            var result = next
            for part in parts.reversed() {
                guard let step = add(part, before: result) else { return nil }
                result = step
            }
            return result
        case .choice(let parts):
            var result: Int?
            for part in parts.reversed() {
                guard let step = add(part, before: next) else { return nil }
                guard let other = result else {
                    result = step
                    continue
                }
                guard let both = append(.either(step, other)) else { return nil }
                result = both
            }
            return result ?? next
        case .repeated(let inner, let low, let high): return add(inner, low, high, before: next)
        case .lookahead(let inner, let isWanted):
            let start = steps.count
            guard let end = append(.accept), let first = add(inner, before: end) else { return nil }
            lookaheads.append(start..<steps.count)
            return append(.lookahead(first, isWanted: isWanted, next))
        }
    }

    private mutating func add(_ inner: PatternPart, _ low: Int, _ high: Int?, before next: Int) -> Int? {
        var result = next
        if let high {
            for _ in 0..<max(0, high - low) {
                guard let step = add(inner, before: result), let either = append(.either(step, next)) else {
                    return nil
                }
                result = either
            }
        } else {
            // The place is taken first: the repeated part leads to it.
            guard let again = append(.either(next, next)), let step = add(inner, before: again) else {
                return nil
            }
            steps[again] = .either(step, next)
            repeats = true
            result = again
        }
        for _ in 0..<low {
            guard let step = add(inner, before: result) else { return nil }
            result = step
        }
        return result
    }
}
