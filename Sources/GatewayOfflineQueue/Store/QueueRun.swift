import GatewayCore
import GatewaySQLite

/// Entries with consecutive identifiers that one owner has leased together.
///
/// Their rows still have the state waiting: a run replaces a change of each row. It ends as the rows of its
/// entries change: a successful attempt makes its row final, any other end of an attempt removes the entry
/// from the run. An entry within a run is therefore leased if its row has the state waiting.
struct QueueRun: Hashable {
    /// The minimum length. Shorter runs cost as much as changes of the rows.
    static let shortest = 4
    /// The maximum number of runs, so that the row of ``QueueMeta`` fits in a page.
    static let most = 64

    /// The identifiers. After each transaction the first entry is leased.
    var ids: ClosedRange<Int64>
    /// The owner of the attempts.
    let owner: QueueOwner
    /// When the entries were leased, by the wall clock.
    let begun: QueueTime
    /// The newest time at that moment: the start of the first attempt for entries without an earlier one.
    let firstSent: QueueTime
    /// The end of the repeat window of those entries.
    let repeatEnd: QueueTime

    /// The run with times moved back that are later than a correct clock can have shown.
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
    /// Decodes a run; `nil` if the bytes are invalid.
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
