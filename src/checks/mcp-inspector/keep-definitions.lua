#!lua
-- Keeps tool definitions of a server by their digests, so that an operator sees what changed. Repeating it changes
-- nothing. Definitions beyond the limit are left out: they are only there to be read.
--
-- KEYS  1 definitions of the server (hash: <digest> -> JSON)
-- ARGV  1 how many definitions are kept   2.. digest and JSON of each
-- reply how many were added

local added = 0
local room = tonumber(ARGV[1]) - redis.call('HLEN', KEYS[1])
for at = 2, #ARGV, 2 do
  if added < room then
    added = added + redis.call('HSETNX', KEYS[1], ARGV[at], ARGV[at + 1])
  end
end
return added
