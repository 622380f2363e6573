import BookshopAPI
import Foundation
import GatewayClient

// Examples of GeneratedClients.md about files, numbers in strings, and Codable.

/// A form with a file.
func upload(_ api: GalleryClient, bytes: [UInt8], length: Int64) async throws {
    let picture = try await api.pictures.upload(
        .init(file: .file("/srv/covers/rivers.png"), title: "Rivers", price: 12))
    print(picture.id)

    let files: [MultipartFile] = [
        .file("/srv/covers/rivers.png", filename: "cover.png", contentType: "image/png"),
        .bytes(bytes, filename: "cover.png"),
        MultipartFile(.replayable(length: length) { try chunks(of: "rivers") }, filename: "cover.png"),
    ]

    let content = try await api.pictures.download(pictureId: picture.id)
    let size = try await content.write(toFile: "/srv/covers/copy.png", upToBytes: 10 << 20)
    _ = (files, size)
}

private func chunks(of name: String) throws -> HTTPBody.Chunks {
    AsyncThrowingStream<HTTPBody.Chunk, any Error> { $0.finish() }
}

/// Numbers in strings.
func numbersInStrings(_ picture: Gallery.Picture) -> [AsText<Decimal>] {
    let half = picture.price.value / 2
    print(picture.price, half)
    let price = AsText<Decimal>("12.90") ?? 0
    let other = AsText(half)
    return [price, other]
}

/// Models with other encoders and decoders.
func models(_ book: Bookshop.Book, _ json: [UInt8], _ price: Bookshop.Money) throws {
    let book = try Bookshop.Book(jsonBytes: json)
    let bytes = try price.jsonBytes()

    let data = try JSONEncoder().encode(price)
    let same = try JSONDecoder().decode(Bookshop.Money.self, from: data)
    _ = (book, bytes, same)
}
