import GatewayAuth
import GatewayCore

extension VariableReader {
    /// Where tokens are kept; `nil` for nowhere.
    mutating func tokenStore(_ stores: [String: GatewayEnvironment.StoreMaker]) -> (any TokenStore)? {
        let password = secret(.tokenStorePassword, file: .tokenStorePasswordFile)
        let passwords: [Variable] = [.tokenStorePassword, .tokenStorePasswordFile]
        guard let text = text(.tokenStore) else {
            refuse(passwords, "not used: \(Variable.tokenStore) is not set")
            return nil
        }
        if text.hasPrefix("/") {
            refuse(passwords, "not used: \(Variable.tokenStore) names a folder")
            return FileTokenStore(directory: text)
        }
        let scheme = text.prefix { $0 != ":" }.lowercased()
        guard text.contains("://"), let make = stores[scheme] else {
            let known = stores.keys.sorted().map { ", or `\($0)://…`" }.joined()
            note(.invalidValue, .tokenStore, "the absolute path of a folder\(known) is expected")
            return nil
        }
        guard let store = try? make(text, password) else {
            note(.invalidValue, .tokenStore, "the store for `\(scheme)` cannot use this URL")
            return nil
        }
        return store
    }
}
