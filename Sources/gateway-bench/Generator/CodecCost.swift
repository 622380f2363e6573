import BenchmarkClients
import FoundationEssentials
import GatewayClient
import Glibc

/// What reading and writing a document of a medium schema costs: generated code against Foundation's coders.
struct CodecCost {
    let kilobytes: Int
    let rounds: Int

    func measure() throws -> [FigureRow] {
        let catalogue = CatalogueText(kilobytes: kilobytes)
        let bytes = Array(catalogue.text.utf8)
        let data = Data(bytes)
        let coders = FoundationCoders()
        let page = try Catalogue.Page(jsonBytes: bytes)
        let codablePage = try coders.page(data)
        let written = try Self.check(page, codablePage, coders)
        var decoding = Timings()
        var encoding = Timings()
        // The first round warms the caches.
        for round in 0...rounds {
            let decoded = try Timings.Round(
                generated: { try Catalogue.Page(jsonBytes: bytes).items.count },
                foundation: { try coders.page(data).items.count }, isGeneratedFirst: round.isMultiple(of: 2))
            let encoded = try Timings.Round(
                generated: { try page.jsonBytes().count },
                foundation: { try coders.encoder.encode(codablePage).count },
                isGeneratedFirst: round.isMultiple(of: 2))
            guard round > 0 else { continue }
            decoding.rounds.append(decoded)
            encoding.rounds.append(encoded)
        }
        return [
            decoding.row(
                "decode", "Reading \(catalogue.articles) articles, \(bytes.count) bytes, CPU",
                bytes: bytes.count),
            encoding.row(
                "encode", "Writing \(catalogue.articles) articles, \(written) bytes, CPU", bytes: written),
        ]
    }

    /// Both read the same, and each reads what either wrote.
    ///
    /// - Returns: how many bytes generated code writes.
    private static func check(
        _ page: Catalogue.Page, _ codablePage: CodableCatalogue.Page, _ coders: FoundationCoders
    ) throws -> Int {
        let bytes = try page.jsonBytes()
        let data = try coders.encoder.encode(codablePage)
        for (what, other) in [
            ("what is read", try CodableCatalogue.Page(page)),
            ("what generated code wrote", try coders.page(Data(bytes))),
            ("what Foundation wrote", try CodableCatalogue.Page(Catalogue.Page(jsonBytes: Array(data)))),
        ] where other != codablePage {
            throw BenchmarkFailure.failed("\(what) differs between generated code and Foundation's coders")
        }
        return bytes.count
    }
}
