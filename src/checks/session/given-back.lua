-- Shared by the scripts that give something back: each operation does so once.
--
-- Remembers an operation, and returns false where it was remembered already.
local function give_back(given_back, now, operation, remembered_ms, most)
  if redis.call('ZSCORE', given_back, operation) then
    return false
  end
  redis.call('ZADD', given_back, int(now), operation)
  redis.call('ZREMRANGEBYSCORE', given_back, '-inf', int(now - tonumber(remembered_ms)))
  redis.call('ZREMRANGEBYRANK', given_back, 0, -(tonumber(most) + 1))
  redis.call('PEXPIRE', given_back, remembered_ms)
  return true
end
