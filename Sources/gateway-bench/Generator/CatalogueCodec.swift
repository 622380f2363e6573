import FoundationEssentials
import GatewayClient

/// Who reads and writes a catalogue.
enum CatalogueCodec: String, CaseIterable {
    /// What the build plugin generates.
    case generated
    /// Foundation's coders with types written by hand.
    case foundation
}

/// Foundation's coders, as they are set up for this schema: the fastest strategies that fit.
struct FoundationCoders {
    let decoder = JSONDecoder()
    let encoder = JSONEncoder()

    init() {
        decoder.dateDecodingStrategy = .iso8601
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = .withoutEscapingSlashes
    }

    func page(_ data: Data) throws -> CodableCatalogue.Page {
        try decoder.decode(CodableCatalogue.Page.self, from: data)
    }
}
