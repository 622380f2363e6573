import BenchmarkClients
import FoundationEssentials
import GatewayClient

/// The peak memory of reading and writing a document, in one process for each codec.
struct CodecMemory {
    let kilobytes: Int

    func measure() throws -> FigureRow {
        var figures: [FigureRow.Figure] = []
        for codec in CatalogueCodec.allCases {
            let peak = try BenchProcess.run(
                Double.self, ["client-generator", codec.rawValue, String(kilobytes)])
            figures.append(.init(name: "\(codec.rawValue)_peak_rss_mib", value: peak))
        }
        return FigureRow(
            name: "memory", title: "A process that reads and writes it once", rounds: 1, figures: figures)
    }

    // MARK: In the process of a client

    /// The peak of resident memory, in MiB.
    static func client(_ arguments: [String]) throws -> Double {
        guard arguments.count == 2, let codec = CatalogueCodec(rawValue: arguments[0]),
            let kilobytes = Int(arguments[1]), (0...1_000_000).contains(kilobytes)
        else { throw BenchmarkFailure.failed("client-generator requires a codec and a size") }
        let text = CatalogueText(kilobytes: kilobytes).text
        switch codec {
        case .generated:
            _ = try Catalogue.Page(jsonBytes: Array(text.utf8)).jsonBytes()
        case .foundation:
            let coders = FoundationCoders()
            _ = try coders.encoder.encode(coders.page(Data(text.utf8)))
        }
        return ProcessUsage.peakRSSMebibytes
    }
}
