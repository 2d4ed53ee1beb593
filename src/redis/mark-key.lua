#!lua
-- Marks a key, so that lists show it for a time even if it is not used. Removes marks that have ended.
-- KEYS[1] marked keys: sorted set by the end of the mark, in Unix ms
-- ARGV[1] hash of the key
-- ARGV[2] life of the mark in ms; '' for no end
-- Reply: 1. Never shortens a mark.
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local ends = ARGV[2] == '' and '+inf' or string.format('%.0f', now + tonumber(ARGV[2]))
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now))
redis.call('ZADD', KEYS[1], 'GT', ends, ARGV[1])
return 1
