-- Counts a failed authentication of one client address in one minute.
-- KEYS[1] counter of address and minute
-- ARGV[1] lifetime of the counter in ms
-- Reply: failures so far. A repeated call counts twice, which only shortens the log.
local failures = redis.call('INCR', KEYS[1])
if failures == 1 then
  redis.call('PEXPIRE', KEYS[1], ARGV[1])
end
return failures
