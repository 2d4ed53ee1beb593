-- Shared by the scripts that give something back, once per operation. `given_back` is a sorted set of operation ids by
-- Unix ms.

local function was_given_back(given_back, operation)
  return redis.call('ZSCORE', given_back, operation) ~= false
end

local function remember_given_back(given_back, now, operation, remembered_ms, most)
  redis.call('ZADD', given_back, int(now), operation)
  redis.call('ZREMRANGEBYSCORE', given_back, '-inf', int(now - tonumber(remembered_ms)))
  redis.call('ZREMRANGEBYRANK', given_back, 0, -(tonumber(most) + 1))
  redis.call('PEXPIRE', given_back, remembered_ms)
end
