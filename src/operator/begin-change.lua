-- Begins a change, unless it was already made or is in progress, or too many changes were made in this minute.
--
-- KEYS  1 the change (string: digest of its request, a space, its answer or nothing)   2 changes of this minute
--       (counter)
-- ARGV  1 digest of the request   2 maximum duration of a change, ms   3 maximum number of changes per minute
-- reply {'new'}, {'made', answer}, {'under_way'}, {'other'} if another request used the key, {'too_many', wait in ms}
local known = redis.call('GET', KEYS[1])
if known then
  local space = string.find(known, ' ', 1, true)
  if string.sub(known, 1, space - 1) ~= ARGV[1] then
    return { 'other' }
  end
  local answer = string.sub(known, space + 1)
  if answer == '' then
    return { 'under_way' }
  end
  return { 'made', answer }
end
local count = redis.call('INCR', KEYS[2])
if count == 1 then
  redis.call('PEXPIRE', KEYS[2], 60000)
end
if count > tonumber(ARGV[3]) then
  return { 'too_many', tostring(redis.call('PTTL', KEYS[2])) }
end
redis.call('SET', KEYS[1], ARGV[1] .. ' ', 'PX', ARGV[2])
return { 'new' }
