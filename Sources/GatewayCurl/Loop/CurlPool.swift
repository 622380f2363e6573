import CLibcurl

/// A multi handle of libcurl with its pool of connections.
///
/// Why several pools of bounded size: to find a connection for a request, libcurl examines all connections of the pool
/// to that origin, which takes 200 µs with 4,000 busy ones.
@safe
final class CurlPool {
    /// libcurl's handle.
    private(set) var multi: UnsafeMutableRawPointer
    /// The loop, which owns its pools and outlives them.
    private let owner: Unmanaged<CurlLoop>
    /// The index among the loop's pools.
    let index: Int
    /// The number of active transfers.
    var active = 0
    /// Since when there has been no active transfer.
    var idleSince: Int64 = 0
    /// Whether libcurl was called in this turn, so that transfers may have ended.
    var isTouched = false
    /// In how many further turns libcurl must check all connections.
    private var looks = 0
    private var lastLook: Int64 = 0
    /// Whether it may have connections.
    private(set) var isUsed = false
    private let connections: Int
    private var timer = LoopClock.never
    private var lastTimer: Int64 = 0

    /// Makes a pool; `nil` if libcurl cannot create a handle.
    ///
    /// - Parameter connections: the maximum number of open connections, idle ones included.
    init?(loop: CurlLoop, index: Int, connections: Int) {
        guard let multi = unsafe curl_multi_init() else { return nil }
        unsafe self.multi = multi
        unsafe owner = Unmanaged.passUnretained(loop)
        self.index = index
        self.connections = connections
        setUp()
    }

    private func setUp() {
        unsafe gateway_multi_set_long(multi, CURLMOPT_MAXCONNECTS, connections)
        // libcurl closes an idle connection before it opens one beyond this number.
        unsafe gateway_multi_set_long(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, connections)
        unsafe gateway_multi_set_callbacks(
            multi, CurlCallbacks.socketInterest, CurlCallbacks.timer,
            Unmanaged.passUnretained(self).toOpaque())
    }

    /// Closes all connections, none of which is in use. The pool can still be used.
    func renew(now: Int64) {
        // If no handle can be created, this is tried again later.
        idleSince = now
        guard active == 0, let new = unsafe curl_multi_init() else { return }
        unsafe curl_multi_cleanup(multi)
        unsafe multi = new
        timer = LoopClock.never
        isUsed = false
        setUp()
    }

    /// Closes all connections. The pool must not be used afterwards.
    func close() { unsafe curl_multi_cleanup(multi) }

    @inline(__always)
    var loop: CurlLoop { unsafe owner.takeUnretainedValue() }

    /// Calls a function with the loop, without reference counting.
    @inline(__always)
    func withLoop<Result>(_ body: (CurlLoop) -> Result) -> Result {
        unsafe owner._withUnsafeGuaranteedRef(body)
    }

    /// Adds a handle; `false` if libcurl rejects it.
    func add(_ handle: EasyHandle) -> Bool {
        guard unsafe curl_multi_add_handle(multi, handle.easy) == CURLM_OK else { return false }
        active += 1
        isUsed = true
        return true
    }

    /// Removes a handle.
    func remove(_ handle: EasyHandle, now: Int64) {
        unsafe curl_multi_remove_handle(multi, handle.easy)
        active -= 1
        if active == 0 { idleSince = now }
    }

    /// Restarts the transfer of a handle; `false` if libcurl rejects it.
    func restart(_ handle: EasyHandle) -> Bool {
        unsafe curl_multi_remove_handle(multi, handle.easy)
        return unsafe curl_multi_add_handle(multi, handle.easy) == CURLM_OK
    }

    /// Sets libcurl's timer, in milliseconds from now; a negative number clears it.
    func setTimer(milliseconds: Int, now: Int64) {
        timer = milliseconds < 0 ? LoopClock.never : now + Int64(milliseconds) * 1_000_000
    }

    /// When libcurl must be called next. With active transfers at least once a second, because libcurl can lose an
    /// event of a socket (curl #11937). With HTTP/2 it checks all connections then: after a truncated frame libcurl
    /// does not report the end of the connection.
    var due: Int64 { looks > 0 ? 0 : active > 0 ? min(timer, lastTimer + 1_000_000_000) : timer }

    /// Runs libcurl's timers that are due.
    func runTimers(now: Int64) {
        guard due <= now else { return }
        lastTimer = now
        guard looks > 0 else {
            timer = LoopClock.never
            if now >= lastLook + 1_000_000_000, loop.settings.speaksHTTP2 { looksAtAll() }
            withLoop { $0.goOnConnecting(in: self) }
            return act(on: CURL_SOCKET_TIMEOUT, 0)
        }
        looks -= 1
        lastLook = now
        for descriptor in loop.sockets.wanted(of: index) { act(on: descriptor, CURL_CSELECT_IN) }
    }

    /// Makes libcurl check all connections twice: the first check reads the remaining data, the second detects a closed
    /// connection.
    func looksAtAll() { looks = 2 }

    /// Passes an event of a socket to libcurl.
    func act(on event: EpollSet.Event) {
        let mask =
            (event.isReadable ? CURL_CSELECT_IN : 0) | (event.isWritable ? CURL_CSELECT_OUT : 0)
            | (event.isBroken ? CURL_CSELECT_ERR : 0)
        act(on: event.descriptor, mask)
    }

    private func act(on descriptor: Int32, _ mask: Int32) {
        isTouched = true
        var running: Int32 = 0
        guard let watchdog = withLoop({ $0.watchdog }) else {
            unsafe curl_multi_socket_action(multi, descriptor, mask, &running)
            return
        }
        watchdog.watching { unsafe curl_multi_socket_action(multi, descriptor, mask, &running) }
    }
}
