-- Adds a new raw key to a record, and lets all older ones expire.
-- KEYS[1] key record
-- ARGV[1] hash of the new raw key, which is the operation id
-- ARGV[2] grace period of the older raw keys in ms
-- ARGV[3] maximum number of live raw keys
-- Reply: {code, hash …}: code 'done', 'missing', 'revoked', 'expired' or 'too_many'; hashes of expired raw keys, which
-- were removed from the record
local record = KEYS[1]
if redis.call('HEXISTS', record, 'key_hash') == 0 then
  return { 'missing' }
end
local new_field = 'raw:' .. ARGV[1]
if redis.call('HEXISTS', record, new_field) == 1 then
  return { 'done' }
end
if redis.call('HEXISTS', record, 'revoked_at') == 1 then
  return { 'revoked' }
end
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local expires_at = redis.call('HGET', record, 'expires_at')
if expires_at and tonumber(expires_at) <= now then
  return { 'expired' }
end

local alive, ended = {}, {}
local fields = redis.call('HGETALL', record)
for i = 1, #fields, 2 do
  if string.sub(fields[i], 1, 4) == 'raw:' then
    local raw_until = tonumber(fields[i + 1]) -- nil: does not expire by itself
    if raw_until and raw_until <= now then
      table.insert(ended, fields[i])
    else
      table.insert(alive, { fields[i], raw_until })
    end
  end
end
if #alive >= tonumber(ARGV[3]) then
  return { 'too_many' }
end

local reply = { 'done' }
for _, field in ipairs(ended) do
  redis.call('HDEL', record, field)
  table.insert(reply, string.sub(field, 5))
end
local last = now + tonumber(ARGV[2])
for _, raw in ipairs(alive) do
  if not raw[2] or raw[2] > last then
    redis.call('HSET', record, raw[1], string.format('%.0f', last))
  end
end
redis.call('HSET', record, new_field, '')
return reply
