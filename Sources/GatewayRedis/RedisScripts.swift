/// What is done in one step inside the server. Each does the same when it runs twice, or says that it was done.
enum RedisScripts {
    /// Takes the lock, or finds that it was taken by this owner: an answer may have been lost.
    static let lock = """
        if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 1 end
        if redis.call('GET', KEYS[1]) == ARGV[1] then
            redis.call('PEXPIRE', KEYS[1], ARGV[2])
            return 1
        end
        return 0
        """

    /// Prolongs the lock of its owner.
    static let renew = """
        if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
        return redis.call('PEXPIRE', KEYS[1], ARGV[2])
        """

    /// Ends the lock of its owner.
    static let release = """
        if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
        return redis.call('DEL', KEYS[1])
        """

    /// Gives a record after its generation, whose length comes first: what others have written there may be anything.
    static let load = """
        local record = redis.call('HGET', KEYS[1], 'record')
        local generation = redis.call('HGET', KEYS[1], 'generation')
        if not record and not generation then return false end
        generation = generation or '0'
        return #generation .. ':' .. generation .. (record or '')
        """

    /// Stores a record in place of the generation that it follows. Generations are compared as texts: Lua's numbers
    /// are exact to 2^53 only.
    static let store = """
        local current = redis.call('HGET', KEYS[1], 'generation') or '0'
        if current ~= ARGV[1] then
            if current == ARGV[2] and redis.call('HGET', KEYS[1], 'record') == ARGV[3] then return 1 end
            return 0
        end
        redis.call('HSET', KEYS[1], 'generation', ARGV[2], 'record', ARGV[3])
        return 1
        """
}
