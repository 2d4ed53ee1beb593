-- Stores a session of the operator page.
-- KEYS[1]  session
-- ARGV[1]  idle time in ms
-- ARGV[2]  maximum lifetime in ms
-- ARGV[3]  the session as JSON
-- Reply: the idle end and the absolute end, in Unix ms.
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local ends = now + tonumber(ARGV[2])
local idle = math.min(ends, now + tonumber(ARGV[1]))
redis.call('SET', KEYS[1], string.format('%.0f', ends) .. ' ' .. ARGV[3], 'PXAT', string.format('%.0f', idle))
return { string.format('%.0f', idle), string.format('%.0f', ends) }
