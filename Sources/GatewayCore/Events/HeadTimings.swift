/// The timings of an exchange until the header fields of its streamed response. It is a reference, so that responses without it
/// have one pointer more.
package final class HeadTimings: Hashable, Sendable {
    package let timings: ExchangeTimings

    package init(_ timings: ExchangeTimings) { self.timings = timings }

    package static func == (a: HeadTimings, b: HeadTimings) -> Bool { a.timings == b.timings }

    package func hash(into hasher: inout Hasher) { hasher.combine(timings) }
}
