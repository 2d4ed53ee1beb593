#!lua
-- Forgets an MCP session if it belongs to the calling key. A repeat finds nothing to forget.
--
-- KEYS  1 the session's key hash
-- ARGV  1 hash of the calling key
-- reply 1 if it was forgotten, else 0

if redis.call('GET', KEYS[1]) ~= ARGV[1] then
  return 0
end
return redis.call('DEL', KEYS[1])
