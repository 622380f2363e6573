import CLibcurl
import Foundation
import GatewayCore
import Testing

@testable import GatewayCurl

@Suite struct CurlCodeTests {
    @Test(
        arguments: [
            (CURLE_COULDNT_RESOLVE_HOST, NetworkError.dnsFailure, NetworkError.Phase.resolve),
            (CURLE_COULDNT_RESOLVE_PROXY, .proxyFailure, .resolve), (CURLE_PROXY, .proxyFailure, .connect),
            (CURLE_COULDNT_CONNECT, .noConnection, .connect), (CURLE_OPERATION_TIMEDOUT, .timeout, nil),
            (CURLE_SEND_ERROR, .connectionLost, .send), (CURLE_RECV_ERROR, .connectionLost, nil),
            (CURLE_SEND_FAIL_REWIND, .connectionLost, .send),
            (CURLE_GOT_NOTHING, .connectionLost, .firstByte),
            (CURLE_PARTIAL_FILE, .truncated, .receive), (CURLE_WEIRD_SERVER_REPLY, .malformedResponse, nil),
            (CURLE_BAD_FUNCTION_ARGUMENT, .malformedResponse, nil),
            (CURLE_HTTP2, .connectionLost, nil), (CURLE_HTTP2_STREAM, .connectionLost, nil),
            (CURLE_SSL_CONNECT_ERROR, .tlsFailure, .tls), (CURLE_PEER_FAILED_VERIFICATION, .tlsFailure, .tls),
            (CURLE_SSL_PINNEDPUBKEYNOTMATCH, .pinningFailure, .tls),
            (CURLE_SSL_CACERT_BADFILE, .misconfigured, .tls), (CURLE_URL_MALFORMAT, .invalidURL, .queue),
            (CURLE_READ_ERROR, .bodyFailed, .send), (CURLE_FTP_WEIRD_PASS_REPLY, .other, nil),
        ] as [(CURLcode, NetworkError.Code, NetworkError.Phase?)])
    func meaning(code: CURLcode, expected: NetworkError.Code, phase: NetworkError.Phase?) {
        let meaning = CurlCode.meaning(code, systemError: 0, isResend: false, hasHead: true)
        #expect(meaning.code == expected)
        #expect(meaning.phase == phase)
    }

    @Test(
        arguments: [
            (ECONNREFUSED, NetworkError.connectionRefused), (ENETUNREACH, .noConnection),
            (EHOSTUNREACH, .noConnection), (ETIMEDOUT, .timeout), (EMFILE, .overloaded),
        ] as [(Int32, NetworkError.Code)])
    func connecting(systemError: Int32, expected: NetworkError.Code) {
        #expect(
            CurlCode.meaning(CURLE_COULDNT_CONNECT, systemError: systemError, isResend: false, hasHead: false)
                .code == expected)
    }

    /// Whatever libcurl's code, one that kept it from sending again means a lost connection.
    @Test func aForbiddenResendIsALostConnection() {
        #expect(
            CurlCode.meaning(CURLE_ABORTED_BY_CALLBACK, systemError: 0, isResend: true, hasHead: false).code
                == .connectionLost)
    }

    @Test func everyCodeHasAMeaningWithoutLibcurlsText() {
        for raw in 1..<UInt32(CURL_LAST.rawValue) {
            let meaning = CurlCode.meaning(CURLcode(raw), systemError: 0, isResend: false, hasHead: false)
            #expect(!meaning.message.isEmpty)
        }
    }
}
