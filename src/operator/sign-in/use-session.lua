-- Reads a session of the operator page, and extends its idle time.
-- KEYS[1]  session
-- KEYS[2]  password of the page
-- ARGV[1]  idle time in ms; 0 does not extend it
-- Reply: the current time and the idle end in Unix ms, the session, and the password; empty without a session.
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
