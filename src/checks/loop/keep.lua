-- Shared by the scripts of loops.

-- Keeps a set for its window, and never for longer than its session is going to live: whoever makes up sessions leaves
-- nothing behind that outlives them.
local function keep(key, window, session)
  local left = redis.call('PTTL', session)
  redis.call('PEXPIRE', key, int(left > 0 and math.min(left, tonumber(window)) or tonumber(window)))
end
