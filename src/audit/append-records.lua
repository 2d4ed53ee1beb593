#!lua
-- Appends a batch of records to the audit trail, and drops the oldest ones. In each period of ARGV 1 records in the
-- first stream, a key has a share of that stream; its further records go to a second stream, so that they do not
-- displace records of other keys. Ids increase across both streams and are unique. A repeated batch appends nothing.
--
-- KEYS  1 audit stream   2 batch (string)   3 stream of records beyond a share
--       4 records of each key in the period (hash; the field '' counts all)
-- ARGV  1 approximate length of each stream, and length of a period   2 lifetime of the batch key in ms
--       3 share of one key   4 lifetime of the counts in ms
--       5… owner of a record ('' = no key), and the record as JSON
-- reply records appended

if not redis.call('SET', KEYS[2], '1', 'NX', 'PX', ARGV[2]) then
  return 0
end

local max_length, share = tonumber(ARGV[1]), tonumber(ARGV[3])
local time = redis.call('TIME')
local ms, seq = time[1] * 1000 + math.floor(time[2] / 1000), -1

-- Ids increase even if the clock goes back.
local function pass(stream)
  local info = redis.pcall('XINFO', 'STREAM', stream)
  for at = 1, info.err and 0 or #info, 2 do
    if info[at] == 'last-generated-id' then
      local last_ms, last_seq = string.match(info[at + 1], '^(%d+)-(%d+)$')
      last_ms, last_seq = tonumber(last_ms), tonumber(last_seq)
      if last_ms > ms or (last_ms == ms and last_seq > seq) then
        ms, seq = last_ms, last_seq
      end
    end
  end
end

pass(KEYS[1])
pass(KEYS[3])

local function is_within_share(owner)
  if owner == '' then
    return true
  end
  if tonumber(redis.call('HGET', KEYS[4], owner) or 0) >= share then
    return false
  end
  redis.call('HINCRBY', KEYS[4], owner, 1)
  return true
end

for at = 5, #ARGV, 2 do
  local stream = is_within_share(ARGV[at]) and KEYS[1] or KEYS[3]
  seq = seq + 1
  redis.call('XADD', stream, 'MAXLEN', '~', ARGV[1], string.format('%.0f-%.0f', ms, seq), 'ocsf', ARGV[at + 1])
  if stream == KEYS[1] and redis.call('HINCRBY', KEYS[4], '', 1) >= max_length then
    redis.call('DEL', KEYS[4])
  end
end
redis.call('PEXPIRE', KEYS[4], ARGV[4])
return (#ARGV - 4) / 2
