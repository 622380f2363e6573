/// The statuses after which a retry may succeed.
public enum RetryableStatuses {
    /// 408, 429, 502, 503, 504. Why not 500: it is usually a defect that each attempt runs into again.
    public static let `default`: Set<Int> = [408, 429, 502, 503, 504]
    /// The default statuses and 500.
    public static let withInternalServerError: Set<Int> = [408, 429, 500, 502, 503, 504]
}
