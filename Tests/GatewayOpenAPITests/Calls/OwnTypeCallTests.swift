import GatewayClient
import GatewayTesting
import Testing

/// Types of the user in requests and responses, in the document Gallery.
@Suite struct OwnTypeCallTests {
    private static let text =
        #"{"price":"1250c","either":{"wood":"fir"},"frame":{"wood":"oak"},"frames":[{"width":2,"wood":"ash"}],"#
        + #""prices":{"a":"1c"},"size":"A4","tip":null}"#

    private let oak = CodableValue(PictureFrame(wood: "oak", width: 3))

    @Test func theyHaveThePlacesOfSchemas() async throws {
        let engine = ScriptedEngine(.json(200, ["X-Size": "A5"], Self.text))
        let client = GalleryClient(engine: engine)
        let response = try await client.withResponse.postSale(
            price: GalleryPrice(1250),
            .init(
                price: GalleryPrice(1), either: .frame(oak), frame: oak, prices: ["a": GalleryPrice(2)],
                size: PrintSize("A3"), tip: .value(GalleryPrice(3))),
            sizes: [PrintSize("A4"), PrintSize("A 3")], xSize: PrintSize("A6"))
        let request = try #require(engine.requests.last)
        #expect(request.target == "/sales/1250c?sizes=A4&sizes=A%203")
        #expect(request.fields["X-Size"] == "A6")
        #expect(
            request.bodyText
                == #"{"price":"1c","either":{"width":3,"wood":"oak"},"frame":{"width":3,"wood":"oak"},"#
                + #""prices":{"a":"2c"},"size":"A3","tip":"3c"}"#)
        #expect(response.headers.xSize == PrintSize("A5"))
        let sale = response.value
        #expect(sale.price.cents == 1250 && sale.prices == ["a": GalleryPrice(1)])
        #expect(sale.frame?.wood == "oak" && sale.frames?.first?.width == 2)
        #expect(sale.size == PrintSize("A4") && sale.tip == .null)
        guard case .frame(let either)? = sale.either else {
            Issue.record("another branch")
            return
        }
        #expect(either.value == PictureFrame(wood: "fir"))
        _ = try await client.postSale(price: GalleryPrice(1), sale)
        #expect(engine.requests.last?.bodyText == Self.text)
    }

    @Test func formsAndPartsHaveThem() async throws {
        let engine = ScriptedEngine(.json(200, Self.text))
        let client = GalleryClient(engine: engine)
        _ = try await client.postSale(price: GalleryPrice(1), form: .init(price: GalleryPrice(5)))
        #expect(engine.requests.last?.bodyText == "price=5c")
        _ = try await client.postSale(
            price: GalleryPrice(1), multipart: .init(frame: oak, price: GalleryPrice(5)))
        let text = try #require(engine.requests.last).bodyText
        #expect(
            text.contains(
                "name=\"frame\"\r\nContent-Type: application/json\r\n\r\n{\"width\":3,\"wood\":\"oak\"}"))
        #expect(text.contains("name=\"price\"\r\n\r\n5c\r\n"))
    }

    @Test func failuresHaveThem() async throws {
        let engine = ScriptedEngine(.json(409, #"{"wood":"oak","width":3}"#))
        let error = await #expect(throws: APIError<Gallery.PostSaleFailure>.self) {
            try await GalleryClient(engine: engine).postSale(
                price: GalleryPrice(1), .init(price: GalleryPrice(1)))
        }
        guard case .documented(.conflict(oak))? = error?.failure else {
            Issue.record("another failure")
            return
        }
    }

    @Test(arguments: [
        #"{"price":"12"}"#, #"{"price":"1c","frame":{"width":1}}"#, #"{"price":"1c","size":1}"#,
    ])
    func whatTheyCannotReadIsAnError(text: String) async throws {
        let engine = ScriptedEngine(.json(200, text))
        let error = await #expect(throws: APIError<Gallery.PostSaleFailure>.self) {
            try await GalleryClient(engine: engine).postSale(
                price: GalleryPrice(1), .init(price: GalleryPrice(1)))
        }
        #expect(error?.code == .decodingFailed)
    }
}
