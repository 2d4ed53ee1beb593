#!lua
-- Records the result of a call. A key's failures within the window open its own circuit. The server's circuit, which
-- blocks all keys, opens on connection failures of any key, and on failed answers to several keys, because one key's
-- arguments may cause its own failures. Idempotent: a failure counts once per operation, and a repeated probe report
-- finds no probe.
--
-- KEYS  1 server's circuit (hash, see circuit.lua)   2 server's failures   3 the key's circuit there
--       4 the key's failures there (both: sorted sets by Unix ms)
-- ARGV  1 now in Unix ms for tests, '' = Redis clock
--       2 failure window in ms   3 threshold   4 operation id
--       5 unreachable | lost | failed | succeeded | abandoned (store.ts, CallResult)
--       6 ms that an open circuit is remembered   7 key hash   8 number of keys that count as several
-- reply {opened | closed | same for the server's circuit, the same for the key's}

-- @include ../../redis/clock.lua

local now, window, threshold = now_ms(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local operation, result, key_hash, several = ARGV[4], ARGV[5], ARGV[7], tonumber(ARGV[8])
local no_answer = result == 'unreachable' or result == 'lost'
local has_failed = no_answer or result == 'failed'

-- Number of failed answers that open the server's circuit, and the most that count for one key, so that fewer than
-- `several` keys cannot open it.
local needed = math.max(threshold, several)
local per_key = math.max(1, math.floor((needed - 1) / (several - 1)))

local function open(circuit, failures)
  redis.call('DEL', circuit, failures)
  redis.call('HSET', circuit, 'opened', int(now))
  if WRITE_VERSION > 1 then
    redis.call('HSET', circuit, 'form', WRITE_VERSION)
  end
  redis.call('PEXPIRE', circuit, ARGV[6])
  return 'opened'
end

local function close(circuit, failures)
  redis.call('DEL', circuit, failures)
  return 'closed'
end

local function forget_old(failures)
  redis.call('ZREMRANGEBYSCORE', failures, '-inf', int(now - window))
  -- These were written before the clock went back.
  redis.call('ZREMRANGEBYSCORE', failures, '(' .. int(now), '+inf')
end

-- Returns the number of failures in the window, and whether this one is new.
local function add(failures, member)
  local added = redis.call('ZADD', failures, 'NX', int(now), member)
  forget_old(failures)
  redis.call('PEXPIRE', failures, int(window))
  return redis.call('ZCARD', failures), added == 1
end

local function is_open(circuit)
  return redis.call('EXISTS', circuit) == 1
end

-- Calls sent before a circuit opened, and calls whose probe lease expired, do not affect it.
local function is_probe_of(circuit)
  return redis.call('HGET', circuit, 'probe') == operation
end

local function give_back_probe(circuit)
  redis.call('HDEL', circuit, 'probe', 'probe_until')
  return 'same'
end

-- Counts a key's newest failures for the server, up to its share.
local function count_for_server()
  if redis.call('ZREVRANK', KEYS[4], operation) < per_key then
    for _, older in ipairs(redis.call('ZREVRANGE', KEYS[4], per_key, per_key)) do
      redis.call('ZREM', KEYS[2], key_hash .. ' ' .. older)
    end
    return add(KEYS[2], key_hash .. ' ' .. operation) >= needed
  end
  return false
end

local function of_closed_server(is_new)
  if no_answer then
    return add(KEYS[2], operation) >= threshold and open(KEYS[1], KEYS[2]) or 'same'
  end
  if is_new and count_for_server() then
    return open(KEYS[1], KEYS[2])
  end
  return 'same'
end

-- A key whose probe reached the server and failed waits while others probe, until several keys have failed. Otherwise
-- a key with bad arguments could block the server for all.
local function of_probed_server()
  if result == 'abandoned' then
    return give_back_probe(KEYS[1])
  end
  if result == 'succeeded' then
    return close(KEYS[1], KEYS[2])
  end
  if result == 'unreachable' or add(KEYS[2], key_hash) >= several then
    return open(KEYS[1], KEYS[2])
  end
  return give_back_probe(KEYS[1])
end

local function of_probed_key()
  if result == 'abandoned' then
    return give_back_probe(KEYS[3])
  end
  forget_old(KEYS[2])
  return has_failed and open(KEYS[3], KEYS[4]) or close(KEYS[3], KEYS[4])
end

local server, key = 'same', 'same'
local probes_server = is_open(KEYS[1]) and is_probe_of(KEYS[1])
local own_count, is_new = 0, false
if is_open(KEYS[3]) then
  if is_probe_of(KEYS[3]) then
    key = of_probed_key()
  end
elseif has_failed then
  own_count, is_new = add(KEYS[4], operation)
end

if probes_server then
  server = of_probed_server()
elseif not is_open(KEYS[1]) and has_failed then
  server = of_closed_server(is_new)
end

local waits = own_count >= threshold or (probes_server and result ~= 'unreachable')
if has_failed and waits and not is_open(KEYS[3]) then
  key = open(KEYS[3], KEYS[4])
end
return { server, key }
