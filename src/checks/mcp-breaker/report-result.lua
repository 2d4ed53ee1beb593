#!lua
-- Notes what became of a call. A failure counts for the window; with as many as the threshold the circuit opens, and a
-- probe that fails opens it again. A probe that succeeds closes it and clears the counters. Idempotent: a failure counts
-- once under its operation, and what is reported of a probe a second time finds no probe.
--
-- KEYS  1 circuit (hash, see circuit.lua)   2 failures (sorted set of operation ids by Unix ms)
-- ARGV  1 now in Unix ms, for tests; '' = Redis's own clock
--       2 window of failures, ms   3 threshold   4 operation id   5 failed | succeeded | abandoned
--       6 how long an open circuit is remembered, ms
-- reply opened | closed | same

-- @include ../../redis/clock.lua

local now, window, threshold = now_ms(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local operation, result = ARGV[4], ARGV[5]

local function open()
  redis.call('DEL', KEYS[1], KEYS[2])
  redis.call('HSET', KEYS[1], 'opened', int(now))
  redis.call('PEXPIRE', KEYS[1], ARGV[6])
  return 'opened'
end

if redis.call('EXISTS', KEYS[1]) == 1 then
  -- What was sent before the circuit opened, and what comes after its lease, decides nothing.
  if redis.call('HGET', KEYS[1], 'probe') ~= operation then
    return 'same'
  end
  if result == 'failed' then
    return open()
  end
  if result == 'abandoned' then
    redis.call('HDEL', KEYS[1], 'probe', 'probe_until')
    return 'same'
  end
  redis.call('DEL', KEYS[1], KEYS[2])
  return 'closed'
end

if result ~= 'failed' then
  return 'same'
end
redis.call('ZADD', KEYS[2], 'NX', int(now), operation)
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', int(now - window))
-- Written before the clock went back.
redis.call('ZREMRANGEBYSCORE', KEYS[2], '(' .. int(now), '+inf')
redis.call('PEXPIRE', KEYS[2], int(window))
if redis.call('ZCARD', KEYS[2]) >= threshold then
  return open()
end
return 'same'
