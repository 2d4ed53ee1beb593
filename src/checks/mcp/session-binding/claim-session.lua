#!lua
-- Says which key a session of an MCP server belongs to, and keeps it alive for that key; one that is nobody's is given
-- to the asking key where it may bind. A repeat of the command finds the session its own and changes nothing.
--
-- KEYS  1 the session's key hash
-- ARGV  1 key hash that asks
--       2 ms until an unused session is forgotten
--       3 1 = binds a session that is nobody's
-- reply 'own' | 'foreign' | 'nobody'

local owner = redis.call('GET', KEYS[1])
if not owner then
  if ARGV[3] ~= '1' then
    return 'nobody'
  end
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
  return 'own'
end
if owner ~= ARGV[1] then
  return 'foreign'
end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 'own'
