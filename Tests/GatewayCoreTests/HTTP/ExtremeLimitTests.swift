import Foundation
import GatewayCore
import Testing

/// Any number is a limit, a length or a capacity.
@Suite struct ExtremeLimitTests {
    private static func chunks() -> HTTPBody.Chunks {
        AsyncThrowingStream<HTTPBody.Chunk, any Error> { continuation in
            continuation.yield([])
            continuation.yield([1, 2])
            continuation.finish()
        }
    }

    @Test(arguments: Extremes.integers)
    func contentIsReadUpToAnyLimit(limit: Int) async throws {
        for body in [ResponseBody.bytes([1, 2]), .stream(Self.chunks())] {
            do throws(NetworkError) {
                #expect(try await body.collect(upToBytes: limit) == [1, 2])
                #expect(limit >= 2)
            } catch {
                #expect(error.code == .responseTooLarge && limit < 2)
            }
        }
        let path = NSTemporaryDirectory() + "gateway-limit-\(UInt64.random(in: 0...UInt64.max))"
        defer { try? FileManager.default.removeItem(atPath: path) }
        do throws(NetworkError) {
            let count = try await ResponseBody.stream(Self.chunks()).write(
                toFile: path, upToBytes: Int64(limit))
            #expect(count == 2 && limit >= 2)
        } catch {
            #expect(error.code == .responseTooLarge && limit < 2)
        }
    }

    @Test(arguments: Extremes.integers)
    func roomIsMadeForFewFields(count: Int) {
        var fields: HTTPFields = [.accept: "*/*"]
        fields.reserveCapacity(count)
        #expect(fields.count == 1)
    }

    @Test(arguments: Extremes.integers)
    func aNegativeLengthIsNotKnown(length: Int) throws {
        let bodies = [
            HTTPBody.once(length: Int64(length), Self.chunks()),
            .replayable(length: Int64(length)) { Self.chunks() },
        ]
        for body in bodies {
            switch body.storage {
            case .once(let known, _), .replayable(let known, _):
                #expect(known == (length < 0 ? nil : Int64(length)))
            default: Issue.record("it is a stream")
            }
        }
    }

    @Test(arguments: Extremes.integers)
    func aSinkHasAnyCapacity(capacity: Int) {
        _ = BufferedEventSink(capacity: capacity) { _ in }
    }
}
