#!lua flags=allow-oom
-- Takes a call out of the arrivals it was counted in: it was not forwarded, or not answered. A repeat finds nothing.
--
-- KEYS  one for each limit: arrivals (sorted set of operation ids by Unix ms)
-- ARGV  1 operation id
-- reply 1

for _, key in ipairs(KEYS) do
  redis.call('ZREM', key, ARGV[1])
end
return 1
