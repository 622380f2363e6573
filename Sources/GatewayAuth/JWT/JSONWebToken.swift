/// JSON Web Tokens in their compact, signed form (RFC 7519, RFC 7515 §7.1).
public enum JSONWebToken {}
