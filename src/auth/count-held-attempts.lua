#!lua
-- Counts requests that were refused because their key is locked or blocked.
--
-- KEYS  1 quarantine lock (string)
--       2 attempts (hash), in the slot of the lock
-- ARGV  1 number of requests
--       2 1 if the lock refused them; 0 for a permanent block
--       3 lifetime in ms of counts that do not end with a temporary lock
-- reply attempts so far; 0 if the lock has ended in the meantime

local left = redis.call('PTTL', KEYS[1])
if ARGV[2] == '1' and left == -2 then
  return 0
end
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
redis.call('HSET', KEYS[2], 'last_at', string.format('%.0f', now))
local attempts = redis.call('HINCRBY', KEYS[2], 'attempts', ARGV[1])
redis.call('PEXPIRE', KEYS[2], ARGV[2] == '1' and left > 0 and left or ARGV[3])
return attempts
