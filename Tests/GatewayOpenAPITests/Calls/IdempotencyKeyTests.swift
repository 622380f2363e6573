import Foundation
import GatewayClient
import GatewayTesting
import Testing

@testable @_spi(Generated) import GatewayOpenAPI

@Suite struct IdempotencyKeyTests {
    private func keys(
        defaults: CallOptions = CallOptions(), _ calls: (ParcelsClient) async throws -> Void
    ) async rethrows -> [String] {
        let engine = ScriptedEngine(.status(204))
        try await calls(ParcelsClient(defaults: defaults, engine: engine))
        return engine.requests.map { $0.fields.values(for: .idempotencyKey).joined(separator: " and ") }
    }

    @Test func keysHaveTheFormOfTheDocument() async throws {
        let keys = try await keys { api in
            for _ in 0..<50 {
                try await api.changeParcel(id: "1", .init())
                try await api.sendParcel()
            }
        }
        #expect(keys.count == 100 && Set(keys).count == 100)
        for (index, key) in keys.enumerated() {
            if index.isMultiple(of: 2) {
                #expect(
                    key.wholeMatch(of: /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/)
                        != nil)
                #expect(UUID(uuidString: key) != nil)
            } else {
                #expect(key.wholeMatch(of: /[A-Z0-9]{12}/) != nil, "\(key)")
            }
        }
    }

    /// Parameter, options, header field of the options, generated key: the first of them is sent, and only that one.
    @Test func theParameterTakesPrecedence() async throws {
        let key = try #require(UUID(uuidString: "6F1C1B8E-3C1F-4B0E-9F0E-0A1B2C3D4E5F"))
        let options = CallOptions(idempotencyKey: "of the options")
        let header = CallOptions(fields: [.idempotencyKey: "of the header"])
        let keys = try await keys { api in
            try await api.changeParcel(id: "1", .init(), idempotencyKey: key)
            try await api.changeParcel(id: "1", .init(), idempotencyKey: key, options: options)
            try await api.changeParcel(id: "1", .init(), idempotencyKey: key, options: header)
            try await api.changeParcel(id: "1", .init(), options: options)
            try await api.changeParcel(id: "1", .init(), options: header)
            try await api.sendParcel(idempotencyKey: "MINE", options: options)
        }
        let text = "6f1c1b8e-3c1f-4b0e-9f0e-0a1b2c3d4e5f"
        #expect(keys == [text, text, text, "of the options", "of the header", "MINE"])
    }

    @Test func aKeyCannotSmuggleAHeader() async throws {
        let keys = await keys { api in
            await #expect(throws: APIError<Parcels.SendParcelFailure>.self) {
                try await api.sendParcel(idempotencyKey: "a\r\nX: b")
            }
        }
        #expect(keys.isEmpty)
    }

    /// Versions and variants of RFC 9562, section 5.4, whatever the random bits are.
    @Test(arguments: [UInt64.min, .max, 0x0123_4567_89AB_CDEF]) func aKeyIsAUUIDOfVersion4(bits: UInt64) {
        struct Fixed: RandomSource {
            let bits: UInt64
            func next() -> UInt64 { bits }
        }
        let key = IdempotencyKeyForm.uuid.key(Fixed(bits: bits))
        #expect(
            key.wholeMatch(of: /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/) != nil,
            "\(key)")
        let text = IdempotencyKeyForm.text("abc", 5).key(Fixed(bits: bits))
        #expect(text.wholeMatch(of: /[abc]{5}/) != nil)
    }
}
