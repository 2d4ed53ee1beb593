#!lua
-- Reports whether the calling key owns an MCP session, and then extends its life. Binds an unowned session to the
-- calling key if ARGV 3 allows it. A repeat finds the session already owned and extends its life.
--
-- KEYS  1 the session's key hash
-- ARGV  1 hash of the calling key
--       2 ms until an unused session is forgotten
--       3 1 = bind an unowned session
-- reply 'own' | 'foreign' | 'unowned'

local owner = redis.call('GET', KEYS[1])
if not owner then
  if ARGV[3] ~= '1' then
    return 'unowned'
  end
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
  return 'own'
end
if owner ~= ARGV[1] then
  return 'foreign'
end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 'own'
