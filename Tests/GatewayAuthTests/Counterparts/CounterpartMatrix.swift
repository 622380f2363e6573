import Testing

/// The authorization servers of others, and what the tests show of each: the table of `Tests/README.md`.
///
/// A test says which cells it shows by the trait `covers`. `CounterpartMatrixTests` checks that each cell has its test, and
/// that the table of the README is this one.
enum CounterpartMatrix {
    /// A row.
    enum Server: String, CaseIterable, Sendable {
        case authlib, django, glewlwyd, canaille, mock

        var title: String {
            switch self {
            case .authlib: "Authlib"
            case .django: "Django OAuth Toolkit"
            case .glewlwyd: "glewlwyd"
            case .canaille: "canaille"
            case .mock: "oidc-provider-mock"
            }
        }
    }

    /// A column.
    enum Feature: String, CaseIterable, Sendable {
        case discovery, authorizationCode, idToken, deviceCode, clientCredentials, rotation, reuseDetection
        case deadRefreshToken, revocation, introspection, proofOfPossession, jwtAccessTokens, basic, post
        case privateKeyJWT

        var title: String {
            switch self {
            case .discovery: "Discovery"
            case .authorizationCode: "Code with PKCE"
            case .idToken: "ID token"
            case .deviceCode: "Device code"
            case .clientCredentials: "Client credentials"
            case .rotation: "Rotation"
            case .reuseDetection: "Reuse detection"
            case .deadRefreshToken: "Dead refresh token"
            case .revocation: "Revocation"
            case .introspection: "Introspection"
            case .proofOfPossession: "DPoP"
            case .jwtAccessTokens: "JWT access tokens"
            case .basic: "`client_secret_basic`"
            case .post: "`client_secret_post`"
            case .privateKeyJWT: "`private_key_jwt`"
            }
        }
    }

    /// What the tests show of a feature of a server.
    enum Cell: Equatable, Sendable {
        case works
        /// The server's behaviour differs from the standard, in this way, and the tests pass with it.
        case differs(String)
        case lacks
        /// The server has it, but our configuration of the server does not.
        case notSetUp

        /// Whether there must be a test.
        var isTested: Bool {
            switch self {
            case .works, .differs: true
            case .lacks, .notSetUp: false
            }
        }
    }

    static func cell(_ server: Server, _ feature: Feature) -> Cell {
        cells[server]?[feature] ?? .works
    }

    private static let wrongSecret =
        "A wrong secret is refused by an empty 403 instead of a 401 with `invalid_client` (RFC 6749 §5.2)."

    /// Every cell that is not `works`.
    private static let cells: [Server: [Feature: Cell]] = [
        .authlib: [
            .discovery: .notSetUp, .authorizationCode: .notSetUp, .idToken: .notSetUp,
            .proofOfPossession: .lacks, .reuseDetection: .notSetUp, .jwtAccessTokens: .notSetUp,
        ],
        .django: [
            // Its device authorization endpoint fails with oauthlib 4.
            .deviceCode: .notSetUp, .proofOfPossession: .lacks, .jwtAccessTokens: .lacks,
            .privateKeyJWT: .lacks,
        ],
        .glewlwyd: [
            .authorizationCode: .differs(
                "A code is refused by a 403 with `invalid_code` instead of `invalid_grant` (RFC 6749 §5.2)."),
            .deadRefreshToken: .differs(
                "The response is an empty 400 instead of `invalid_grant` (RFC 6749 §5.2)."),
            .revocation: .differs(
                "Access tokens stay valid when their refresh token is revoked (RFC 7009 §2.1)."),
            .jwtAccessTokens: .differs("Without a resource the audience is the scope (RFC 9068 §3)."),
            .basic: .differs(wrongSecret), .post: .differs(wrongSecret),
            .privateKeyJWT: .differs(
                "The audience of an assertion has to be the endpoint that it is sent to; at the revocation endpoint "
                    + "the token endpoint is refused (RFC 7523 §3)."),
        ],
        .canaille: [
            .deviceCode: .lacks, .proofOfPossession: .lacks,
            .rotation: .differs(
                "A refresh token expires together with its access token, and has to be used before that."),
            .reuseDetection: .differs(
                "A refresh token that was used before is refused, but its successors stay valid "
                    + "(RFC 9700 §4.14.2)."),
            .clientCredentials: .differs("Clients authenticate by `client_secret_basic` only."),
            .jwtAccessTokens: .differs(
                "Access tokens have the type and the audience of identity tokens (RFC 9068 §2)."),
        ],
        .mock: [
            .authorizationCode: .differs(
                "The challenge and the verifier of PKCE are ignored (RFC 7636 §4.6)."),
            .deviceCode: .lacks, .clientCredentials: .lacks,
            .rotation: .differs("A refresh does not issue a new refresh token; the old one stays valid."),
            .post: .differs("Accepted for authorization codes, but not for refresh tokens."),
            .reuseDetection: .lacks, .revocation: .lacks, .introspection: .lacks,
            .proofOfPossession: .lacks, .jwtAccessTokens: .lacks, .privateKeyJWT: .lacks,
        ],
    ]

    /// The table in Markdown, with its footnotes.
    static var table: String {
        var notes: [String] = []
        func text(_ cell: Cell) -> String {
            switch cell {
            case .works: return "works"
            case .differs(let note):
                if !notes.contains(note) { notes.append(note) }
                return "differs[^\((notes.firstIndex(of: note) ?? 0) + 1)]"
            case .lacks: return "server lacks it"
            case .notSetUp: return "not set up"
            }
        }
        var rows = ["| Server |" + Feature.allCases.map { " \($0.title) |" }.joined()]
        rows.append("|---|" + Feature.allCases.map { _ in "---|" }.joined())
        for server in Server.allCases {
            let cells = Feature.allCases.map { " \(text(cell(server, $0))) |" }
            rows.append("| \(server.title) |" + cells.joined())
        }
        let footnotes = notes.enumerated().map { "[^\($0 + 1)]: \($1)" }
        return (rows + [""] + footnotes).joined(separator: "\n")
    }
}

/// Marks a test with the cells of the table that it shows.
struct CounterpartCoverage: TestTrait {
    let server: CounterpartMatrix.Server
    let features: [CounterpartMatrix.Feature]
}

extension Trait where Self == CounterpartCoverage {
    static func covers(_ server: CounterpartMatrix.Server, _ features: CounterpartMatrix.Feature...) -> Self {
        CounterpartCoverage(server: server, features: features)
    }
}
