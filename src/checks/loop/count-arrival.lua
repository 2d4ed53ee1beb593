#!lua
-- Counts a call that has just come against limits of its session, each over a sliding window. Idempotent under the
-- operation id. One more than the limit is all that is ever kept.
--
-- KEYS  one for each limit: arrivals (sorted set of operation ids by Unix ms)
-- ARGV  1 now in Unix ms, for tests; '' = Redis's own clock
--       2 operation id
--       then for each limit: window in ms, limit
-- reply 1|0 for each limit: 1 where it is exceeded with this call

local now
if ARGV[1] ~= '' then
  now = tonumber(ARGV[1])
else
  local time = redis.call('TIME')
  now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end

local reply = {}
for i, key in ipairs(KEYS) do
  local window, limit = tonumber(ARGV[1 + 2 * i]), tonumber(ARGV[2 + 2 * i])
  redis.call('ZREMRANGEBYSCORE', key, '-inf', string.format('%.0f', now - window))
  redis.call('ZADD', key, 'NX', string.format('%.0f', now), ARGV[2])
  reply[i] = redis.call('ZCARD', key) > limit and 1 or 0
  redis.call('ZREMRANGEBYRANK', key, 0, -2 - limit)
  redis.call('PEXPIRE', key, string.format('%.0f', window))
end
return reply
