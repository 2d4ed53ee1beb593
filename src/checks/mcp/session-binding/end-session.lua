#!lua
-- Forgets a session of an MCP server, where it belongs to the asking key. A repeat finds nothing to forget.
--
-- KEYS  1 the session's key hash
-- ARGV  1 key hash that asks
-- reply 1 where it was forgotten, else 0

if redis.call('GET', KEYS[1]) ~= ARGV[1] then
  return 0
end
return redis.call('DEL', KEYS[1])
