import GatewayTesting

/// What goes wrong in one round: drawn from a seed, or named by a test.
struct StormRound: Sendable {
    enum Store: Sendable { case files, redis }

    /// Something that goes wrong, with how long it lasts in milliseconds.
    enum Event: Sendable, Equatable {
        /// `kill -9`, and a start anew.
        case kill(place: Int, restart: Int)
        /// The same for the process that sends a refresh token next.
        case killSender(after: Int, restart: Int)
        /// SIGSTOP and SIGCONT.
        case stop(place: Int, Int)
        case stopSender(after: Int, Int)
        /// The token server answers that much later than it acts.
        case lateAnswer(Int)
        /// The connection breaks before it acts.
        case lostRequest
        /// It takes its time before it acts.
        case slow(Int)
        /// 503, so many times.
        case unavailable(times: Int)
        /// All access tokens are rejected once more.
        case revoke
        /// No further descriptor can be opened.
        case descriptors(place: Int, Int)

        // Files.
        case deleteLocks
        case replaceLocks
        case copyDirectory
        case fullDisk(Int)
        case fileSize(place: Int, Int)

        // Redis.
        case pause(Int)
        case restart(down: Int)
        case scriptFlush

        // Both. All data is lost with the record of a Redis server.
        case damage(Damage)
        case deleteRecord
    }

    enum Damage: String, Sendable, CaseIterable {
        case empty, cut, garbage
        /// The highest number that fits.
        case generation
    }

    static let places = 4

    let number: Int
    /// Each with how long after the round's beginning.
    let events: [(delay: Int, event: Event)]

    /// A round whose events begin one after the other, 30 ms apart.
    init(_ number: Int, _ events: Event...) {
        self.number = number
        self.events = events.enumerated().map { ($0 * 30, $1) }
    }

    /// The same round again for the same seed, number and store.
    init(_ number: Int, seed: UInt64, store: Store) {
        self.number = number
        let random = SeededRandomSource(seed: seed &+ UInt64(number) &* 0x9E37_79B9)
        // The first few numbers of neighbouring seeds look alike.
        for _ in 0..<4 { _ = random.next() }
        events = (0..<random.int(in: 1..<4)).map { _ in
            (random.int(in: 0..<120), Self.event(store, random))
        }
    }

    private static func event(_ store: Store, _ random: SeededRandomSource) -> Event {
        let place = random.int(in: 0..<places)
        let (short, long) = (random.int(in: 0..<30), random.int(in: 550..<750))
        let some = random.int(in: 100..<500)
        switch random.int(in: 0..<34) {
        case 0..<3: return .kill(place: place, restart: short * 4)
        case 3..<7: return .killSender(after: short, restart: short * 4)
        case 7..<9: return .stop(place: place, long)
        case 9..<11: return .stopSender(after: short, long)
        case 11..<14: return .lateAnswer(long)
        case 14..<16: return .lostRequest
        case 16..<18: return .slow(some)
        case 18..<20: return .unavailable(times: 1 + short % 3)
        case 20..<22: return .revoke
        case 22: return .descriptors(place: place, some)
        case 23..<25: return .damage(Damage.allCases[short % Damage.allCases.count])
        case 25: return .deleteRecord
        case 26..<28: return store == .files ? .deleteLocks : .pause(some)
        case 28..<30: return store == .files ? .copyDirectory : .restart(down: some / 2)
        case 30..<32: return store == .files ? .fullDisk(some) : .restart(down: some / 2)
        case 32: return store == .files ? .replaceLocks : .scriptFlush
        default: return store == .files ? .fileSize(place: place, some) : .pause(some)
        }
    }
}
