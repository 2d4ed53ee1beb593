-- Selects the used and the marked keys in a part of the index. Reads only.
-- KEYS[1] index of all keys   KEYS[2] keys by last use   KEYS[3] marked keys
-- ARGV[1] hash after which the part begins, or '' for the first
-- ARGV[2] Unix ms since which a key counts as used, or '' for never
-- ARGV[3] '1' to select marked keys too
-- ARGV[4] length of the part
-- Reply: {last hash of the part, or '' at the end, hash …}
local part = redis.call('ZRANGEBYLEX', KEYS[1], ARGV[1] == '' and '-' or '(' .. ARGV[1], '+', 'LIMIT', 0, ARGV[4])
local reply = { #part < tonumber(ARGV[4]) and '' or part[#part] }
if #part == 0 then
  return reply
end
local since = ARGV[2] ~= '' and tonumber(ARGV[2])
local used = since and redis.call('ZMSCORE', KEYS[2], unpack(part))
local marked = ARGV[3] == '1' and redis.call('ZMSCORE', KEYS[3], unpack(part))
for nth, hash in ipairs(part) do
  if used and used[nth] and tonumber(used[nth]) >= since or marked and marked[nth] then
    reply[#reply + 1] = hash
  end
end
return reply
