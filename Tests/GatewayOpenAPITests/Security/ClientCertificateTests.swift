import Foundation
import GatewayClient
import Testing

private func variable(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }
private let gateway = variable("GATEWAY_TEST_AUTHLIB_TLS")

/// A generated client whose certificate is its credential, before nginx, which `scripts/test.sh` starts.
@Suite(.enabled(if: gateway != nil, "scripts/test.sh starts nginx"), .timeLimit(.minutes(1)))
struct ClientCertificateTests {
    private func api(_ certificate: String?, _ options: SecurityOptions = .init()) throws -> DepotClient {
        let keys = try #require(variable("GATEWAY_TEST_KEYS"))
        var configuration = GatewayConfiguration()
        configuration.transport.caFile = try #require(variable("GATEWAY_TEST_NGINX_FILES")) + "/cert.pem"
        configuration.transport.clientCertificate = certificate.map {
            .init(certificateFile: "\(keys)/\($0).pem", keyFile: "\(keys)/\($0)-key.pem")
        }
        return DepotClient(
            server: .init(url: try #require(gateway)), credentials: .init(options: options),
            configuration: configuration)
    }

    @Test(arguments: ["client", "other-client"]) func theCertificateIsTheCredential(name: String) async throws
    {
        try await api(name).certified()
    }

    /// Without one nothing is sent; who says that something else shows one has to be right.
    @Test(arguments: [
        (false, NetworkError.Code.credentialMissing, nil as Int?), (true, .unacceptableStatus, 403),
    ])
    func noCertificate(isPromised: Bool, code: NetworkError.Code, status: Int?) async throws {
        do {
            try await api(nil, .init(showsClientCertificate: isPromised)).certified()
            Issue.record("served")
        } catch let error as APIError<Depot.CertifiedFailure> {
            #expect(error.code == code && error.status == status)
        }
    }
}
