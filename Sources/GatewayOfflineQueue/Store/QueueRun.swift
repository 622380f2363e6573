import GatewayCore
import GatewaySQLite

/// Entries with consecutive identifiers that one owner has leased at once.
///
/// Their rows still say that they wait: a run takes the place of a change of each row. It ends as the rows of its entries are
/// changed: an attempt that succeeded makes its row final, any other end of an attempt takes the entry out of the run. So an
/// entry within a run is leased if its row says that it waits.
struct QueueRun: Hashable {
    /// Shorter runs cost as much as changes of the rows.
    static let shortest = 4
    /// The maximum number of runs, so that the row of ``QueueMeta`` fits in a page.
    static let most = 64

    /// The identifiers. After each transaction the first entry is one that is leased.
    var ids: ClosedRange<Int64>
    /// Who makes the attempts.
    let owner: QueueOwner
    /// When the entries were leased, by the wall clock.
    let begun: QueueTime
    /// The newest time at that moment: when the first attempt begins of those entries that have had none.
    let firstSent: QueueTime
    /// The end of the repeat window of those.
    let repeatEnd: QueueTime

    /// The run with times moved back that are later than any that a right clock has shown.
    func movedBack(to time: QueueTime, by distance: Duration) -> QueueRun {
        let back = firstSent > time ? Duration.zero - distance : .zero
        return QueueRun(
            ids: ids, owner: owner, begun: min(begun, time), firstSent: firstSent.adding(back),
            repeatEnd: repeatEnd.adding(back))
    }

    func append(to writer: inout ByteWriter) {
        writer.append(ids.lowerBound)
        writer.append(ids.upperBound)
        writer.append(owner.rawValue)
        for time in [begun, firstSent, repeatEnd] { writer.append(time.milliseconds) }
    }
}

extension QueueRun {
    /// Reads a run; `nil` if the bytes are not those of one.
    init?(_ reader: inout ByteReader) {
        guard let first: Int64 = reader.number(), let last: Int64 = reader.number(), first > 0, first <= last,
            let owner: UInt64 = reader.number(), let begun: Int64 = reader.number(),
            let firstSent: Int64 = reader.number(), let repeatEnd: Int64 = reader.number()
        else { return nil }
        self.init(
            ids: first...last, owner: QueueOwner(owner), begun: QueueTime(milliseconds: begun),
            firstSent: QueueTime(milliseconds: firstSent), repeatEnd: QueueTime(milliseconds: repeatEnd))
    }
}
