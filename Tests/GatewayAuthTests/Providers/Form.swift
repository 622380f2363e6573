import Foundation
import GatewayCore

/// The parameters of a request's form. Test data is plain: `+` is a space, `%XX` a byte.
struct Form {
    let pairs: [(String, String)]

    init(_ request: HTTPRequest?) {
        let text = String(decoding: request?.body.bytes ?? [], as: UTF8.self)
        pairs = text.split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (Self.decoded(parts.first ?? ""), Self.decoded(parts.count > 1 ? parts[1] : ""))
        }
    }

    subscript(_ name: String) -> String? { pairs.first { $0.0 == name }?.1 }
    func all(_ name: String) -> [String] { pairs.filter { $0.0 == name }.map(\.1) }

    private static func decoded(_ text: Substring) -> String {
        String(text).replacing("+", with: " ").removingPercentEncoding ?? ""
    }
}
