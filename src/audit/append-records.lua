#!lua
-- Appends a batch of records to the audit stream, whose oldest make room. A repeat of a batch appends nothing.
--
-- KEYS  1 audit stream   2 batch (string)
-- ARGV  1 records that the stream keeps, about   2 how long the batch is remembered, ms   3… records, JSON
-- reply records appended

if not redis.call('SET', KEYS[2], '1', 'NX', 'PX', ARGV[2]) then
  return 0
end
for at = 3, #ARGV do
  redis.call('XADD', KEYS[1], 'MAXLEN', '~', ARGV[1], '*', 'ocsf', ARGV[at])
end
return #ARGV - 2
