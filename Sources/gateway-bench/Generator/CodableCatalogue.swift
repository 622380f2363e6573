import FoundationEssentials

/// The catalogue's types as one writes them by hand for Foundation's coders: synthesised conformances but where the
/// schema asks for more.
enum CodableCatalogue {
    struct Page: Codable, Equatable {
        var items: [Article]
        var nextCursor: String?

        enum CodingKeys: String, CodingKey {
            case items
            case nextCursor = "next_cursor"
        }
    }

    struct Article: Codable, Equatable {
        var id: UUID
        var sku: String
        var title: String
        var summary: String?
        var note: String?
        var price: Double
        var taxRate: Double?
        var currency: String
        var state: State
        var createdAt: Date
        var updatedAt: Date?
        var inStock: Bool
        var isDigital: Bool?
        var stock: Int
        var revision: Int?
        var weightGrams: Int?
        var maker: Maker
        var media: Medium
        var prices: [PriceTier]
        var tags: [String]?
        var attributes: [String: String]

        enum CodingKeys: String, CodingKey {
            case id, sku, title, summary, note, price
            case taxRate = "tax_rate"
            case currency, state
            case createdAt = "created_at"
            case updatedAt = "updated_at"
            case inStock = "in_stock"
            case isDigital = "is_digital"
            case stock, revision
            case weightGrams = "weight_grams"
            case maker, media, prices, tags, attributes
        }
    }

    struct Maker: Codable, Equatable {
        var id: Int
        var name: String
        var country: String?
        var website: String?
    }

    struct PriceTier: Codable, Equatable {
        var quantity: Int
        var amount: Double
        var label: String?
    }

    struct Picture: Codable, Equatable {
        var kind: String
        var url: String
        var width: Int
        var height: Int
    }

    struct Film: Codable, Equatable {
        var kind: String
        var url: String
        var seconds: Double
        var captions: [String]?
    }
}

extension CodableCatalogue {
    /// A choice that may grow.
    enum State: Codable, Equatable {
        case draft, active, soldOut, retired
        case unrecognized(String)

        init(from decoder: any Decoder) throws {
            let text = try decoder.singleValueContainer().decode(String.self)
            switch text {
            case "draft": self = .draft
            case "active": self = .active
            case "sold-out": self = .soldOut
            case "retired": self = .retired
            default: self = .unrecognized(text)
            }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .draft: try container.encode("draft")
            case .active: try container.encode("active")
            case .soldOut: try container.encode("sold-out")
            case .retired: try container.encode("retired")
            case .unrecognized(let text): try container.encode(text)
            }
        }
    }

    /// One of two objects, told apart by a member.
    enum Medium: Codable, Equatable {
        case picture(Picture)
        case film(Film)

        private enum CodingKeys: CodingKey { case kind }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            switch try container.decode(String.self, forKey: .kind) {
            case "picture": self = .picture(try Picture(from: decoder))
            case "film": self = .film(try Film(from: decoder))
            default:
                throw DecodingError.dataCorruptedError(
                    forKey: .kind, in: container, debugDescription: "an unknown kind")
            }
        }

        func encode(to encoder: any Encoder) throws {
            switch self {
            case .picture(let picture): try picture.encode(to: encoder)
            case .film(let film): try film.encode(to: encoder)
            }
        }
    }
}
