#!lua
-- Puts off the end of the leases of one key's running requests. One that has already been charged because it ran
-- out (a stalled worker, a Redis that was away) is turned back into a reservation.
--
-- KEYS  1 holds (sorted set)   2 risk profile (hash)   3.. holds (hashes)
-- ARGV  1 now in Unix ms, for tests; '' = Redis's own clock
--       2 lease in ms
-- reply one 1|0 for each hold: 0 where it is settled or lost

-- @include ../../redis/clock.lua
-- @include accounts.lua

local now = now_ms(ARGV[1])
local lease = tonumber(ARGV[2])
local renewed = {}

for i = 3, #KEYS do
  local fields = redis.call('HMGET', KEYS[i], 'state', 'amount')
  local state, amount = fields[1], tonumber(fields[2] or '0')
  if state == 'charged' then
    move(KEYS[i], -amount, amount)
    add_total(-amount)
    redis.call('HSET', KEYS[i], 'state', 'held')
    state = 'held'
  end
  if state == 'held' then
    redis.call('ZADD', KEYS[1], int(now + lease), KEYS[i])
    redis.call('PEXPIRE', KEYS[i], int(lease + LATE_MS))
    redis.call('PEXPIRE', KEYS[1], int(lease + LATE_MS))
  end
  renewed[#renewed + 1] = state == 'held' and 1 or 0
end

settle_expired(KEYS[1], now)
return renewed
