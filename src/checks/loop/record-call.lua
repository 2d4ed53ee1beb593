#!lua
-- Adds an answered call to its session's calls. A repeat of an operation changes nothing if fewer than 16 calls have
-- followed. Calls are kept no longer than their session lives, so invented sessions leave nothing behind.
--
-- KEYS  1 calls (see calls.lua)   2 their session
-- ARGV  1 now in Unix ms, for tests; '' = Redis's own clock
--       2 operation id     3 fingerprint in 16 hex digits
--       4 life of calls in ms     5 number of calls to keep
-- reply 1

-- @include ../../redis/clock.lua
-- @include ../../redis/session.lua
-- @include calls.lua

local KNOWN_AGAIN, SPARE = 16, 64

local now, id, most = now_ms(ARGV[1]), short_id(ARGV[2]), tonumber(ARGV[5])
local life, last = math.min(tonumber(ARGV[4]), life_left(KEYS[2], now)), last_calls(KEYS[1], KNOWN_AGAIN)
local is_known = entry_at(last, id, ENTRY_BYTES, ENTRY_BYTES - ID_BYTES) ~= nil

local function commit()
  if not is_known then
    local entry = ENTRY_VERSION .. int(now) .. ARGV[3] .. id
    if redis.call('APPEND', KEYS[1], entry) > (most + SPARE) * ENTRY_BYTES then
      redis.call('SET', KEYS[1], last_calls(KEYS[1], most + 1))
    end
  end
  redis.call('PEXPIRE', KEYS[1], int(life))
end

return 1, commit
