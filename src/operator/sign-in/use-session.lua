-- Reads a session of the operator's page, and puts off its idle end.
-- KEYS[1]  session
-- KEYS[2]  password of the page
-- ARGV[1]  idle time in ms; 0 leaves the idle end as it is
-- Reply: now in Unix ms, when it ends unless it is used, the session, the password; empty without a session.
local stored = redis.call('GET', KEYS[1])
if not stored then
  return {}
end
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local ends = tonumber(string.match(stored, '^%d+'))
local idle = now + redis.call('PTTL', KEYS[1])
if tonumber(ARGV[1]) > 0 then
  idle = math.min(ends, now + tonumber(ARGV[1]))
  redis.call('PEXPIREAT', KEYS[1], string.format('%.0f', idle))
end
return { string.format('%.0f', now), string.format('%.0f', idle), stored, redis.call('GET', KEYS[2]) or '' }
