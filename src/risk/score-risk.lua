#!lua
-- Scores one trigger in a key's risk profile, after decay. Sets a pending lock above a threshold or if ARGV 9 demands
-- it, and blocks the key above another threshold. The caller writes the lock's own key, which is in another slot, and
-- then clears the pending one. A repeat of the operation gets the first answer. Everything is read and validated before
-- anything is written.
--
-- KEYS  1 risk profile (hash)   2 operation (string)   3 scored findings (sorted set)
--       4 flags known in the key's sessions (sorted set by Unix ms)
-- ARGV  1 now in Unix ms, for tests; '' = Redis's own clock
--       2 how long the operation is remembered, ms
--       3 points   4 highest score   5 counter in the profile, or ''
--       6 points that one decay takes   7 time without triggers for one decay, ms
--       8 value of a lock   9 duration of a lock regardless of the score, ms, or 0
--      10 duration of a lock for a score over the threshold, ms   11 that threshold
--      12 threshold of the permanent block   13 lifetime of the profile, ms, or 0
--      14 taint flag, or ''   15 '1' if the points are for the flag   16 memory of a flag, ms
--      17 maximum number of flags   18 memory of a finding, ms   19 maximum number of findings
--      20 session and flag, or ''   21 maximum number of these   22.. findings
-- reply {scored 1|0, score, remaining time of the lock in ms or 0, blocked by this call 1|0}

-- @include ../redis/clock.lua
-- @include ../redis/form.lua

local profile, operation, findings, known_flags = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local FIRST_FINDING = 22

local earlier = redis.call('GET', operation)
if earlier then
  local reply = {}
  for part in string.gmatch(earlier, '%d+') do
    reply[#reply + 1] = tonumber(part)
  end
  return reply
end

local now = now_ms(ARGV[1])
local flag, flag_scores = ARGV[14], ARGV[15] == '1'
local finding_memory = tonumber(ARGV[18])

local stored = redis.call(
  'HMGET', profile, 'risk_score', 'scored_at', 'blocked_at', 'pending_lock_until', 'persistent_taint_flags', 'form'
)
check_form('risk_profile', stored[6])
local score, blocked_at = tonumber(stored[1] or '0'), stored[3]
local scored_at, pending_until = tonumber(stored[2] or int(now)), tonumber(stored[4] or '0')
local flags = stored[5] and cjson.decode(stored[5]) or {}
if not score or not scored_at or not pending_until or type(flags) ~= 'table' then
  return redis.error_reply('ERR the risk profile is damaged')
end

-- A trigger is fresh if it has no findings, or if one of them is new.
local fresh = #ARGV < FIRST_FINDING
for i = FIRST_FINDING, #ARGV do
  local at = redis.call('ZSCORE', findings, ARGV[i])
  fresh = fresh or not at or tonumber(at) <= now - finding_memory
end
local known_at = flag ~= '' and redis.call('ZSCORE', known_flags, ARGV[20])
local new_flag = flag ~= '' and (not known_at or tonumber(known_at) <= now - tonumber(ARGV[16]))
local scored = fresh and (new_flag or not flag_scores)

local clean = math.floor(math.max(0, now - scored_at) / tonumber(ARGV[7]))
score = math.max(0, score - clean * tonumber(ARGV[6]))
if scored then
  score = math.min(tonumber(ARGV[4]), score + tonumber(ARGV[3]))
end

local lock_ms, blocked = tonumber(ARGV[9]), 0
if scored and score > tonumber(ARGV[11]) then
  lock_ms = math.max(lock_ms, tonumber(ARGV[10]))
end
if scored and score > tonumber(ARGV[12]) and not blocked_at then
  blocked = 1
end

-- Writes begin here. A known flag is not a trigger, and does not restart the time without triggers.
if scored or not flag_scores then
  redis.call('HSET', profile, 'risk_score', int(score), 'scored_at', int(now))
  if WRITE_VERSION > 1 then
    redis.call('HSET', profile, 'form', WRITE_VERSION)
  end
end
if ARGV[5] ~= '' then
  redis.call('HINCRBY', profile, ARGV[5], 1)
end
if blocked == 1 then
  redis.call('HSET', profile, 'blocked_at', int(now))
end
if lock_ms > 0 then
  -- The writer of an older pending lock may have crashed, so this lock takes over its remaining time.
  lock_ms = math.max(lock_ms, pending_until - now)
  redis.call('HSET', profile, 'pending_lock_id', ARGV[8], 'pending_lock_until', int(now + lock_ms))
end

if flag ~= '' then
  redis.call('ZADD', known_flags, int(now), ARGV[20])
  redis.call('ZREMRANGEBYSCORE', known_flags, '-inf', int(now - tonumber(ARGV[16])))
  redis.call('ZREMRANGEBYRANK', known_flags, 0, -(tonumber(ARGV[21]) + 1))
  redis.call('PEXPIRE', known_flags, ARGV[16])
end
if new_flag and #flags < tonumber(ARGV[17]) then
  local known = false
  for _, other in ipairs(flags) do
    known = known or other == flag
  end
  if not known then
    flags[#flags + 1] = flag
    redis.call('HSET', profile, 'persistent_taint_flags', cjson.encode(flags))
  end
end

if #ARGV >= FIRST_FINDING then
  redis.call('ZREMRANGEBYSCORE', findings, '-inf', int(now - finding_memory))
  for i = FIRST_FINDING, #ARGV do
    redis.call('ZADD', findings, 'NX', int(now), ARGV[i])
  end
  redis.call('ZREMRANGEBYRANK', findings, 0, -(tonumber(ARGV[19]) + 1))
  redis.call('PEXPIRE', findings, ARGV[18])
end

if ARGV[13] == '0' or blocked_at or blocked == 1 then
  redis.call('PERSIST', profile)
else
  redis.call('PEXPIRE', profile, int(math.max(tonumber(ARGV[13]), lock_ms)))
end

local reply = { scored and 1 or 0, score, lock_ms, blocked }
redis.call('SET', operation, string.format('%.0f %.0f %.0f %.0f', unpack(reply)), 'PX', ARGV[2])
return reply
