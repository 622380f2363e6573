import BenchmarkClients
import GatewayClient

/// What the generated types hold, in the types written by hand: two values are the same where these are equal.
extension CodableCatalogue.Page {
    init(_ page: Catalogue.Page) throws {
        self.init(
            items: try page.items.map { try CodableCatalogue.Article($0) }, nextCursor: page.nextCursor)
    }
}

extension CodableCatalogue.Article {
    fileprivate init(_ article: Catalogue.Article) throws {
        self.init(
            id: article.id, sku: article.sku, title: article.title, summary: article.summary,
            note: article.note.orNil, price: article.price, taxRate: article.taxRate,
            currency: article.currency, state: CodableCatalogue.State(article.state),
            createdAt: article.createdAt, updatedAt: article.updatedAt, inStock: article.inStock,
            isDigital: article.isDigital, stock: article.stock, revision: article.revision,
            weightGrams: article.weightGrams,
            maker: CodableCatalogue.Maker(
                id: article.maker.id, name: article.maker.name, country: article.maker.country,
                website: article.maker.website),
            media: try CodableCatalogue.Medium(article.media),
            prices: article.prices.map {
                CodableCatalogue.PriceTier(quantity: $0.quantity, amount: $0.amount, label: $0.label)
            },
            tags: article.tags, attributes: article.attributes)
    }
}

extension CodableCatalogue.State {
    fileprivate init(_ state: Catalogue.State) {
        switch state {
        case .draft: self = .draft
        case .active: self = .active
        case .soldOut: self = .soldOut
        case .retired: self = .retired
        case .unrecognized(let text): self = .unrecognized(text)
        }
    }
}

extension CodableCatalogue.Medium {
    fileprivate init(_ medium: Catalogue.Medium) throws {
        switch medium {
        case .picture(let picture):
            self = .picture(
                CodableCatalogue.Picture(
                    kind: picture.kind, url: picture.url, width: picture.width, height: picture.height))
        case .film(let film):
            self = .film(
                CodableCatalogue.Film(
                    kind: film.kind, url: film.url, seconds: film.seconds, captions: film.captions))
        case .unrecognized:
            throw BenchmarkFailure.failed("generated code does not know a kind that the document names")
        }
    }
}
