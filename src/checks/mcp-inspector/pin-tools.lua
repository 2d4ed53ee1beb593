#!lua
-- Compares the definitions of a server's tools with the first ones, and pins new tools. A repeat changes only times.
-- Pins never expire, because otherwise a changed tool could pass as a new one.
--
-- KEYS  1 pins of the server (hash: pin:<tool> and changed:<tool> -> "<digest> <Unix ms>"; form, see form.lua)
-- ARGV  1 now in Unix ms, for tests; '' = Redis's own clock   2 maximum number of pinned tools
--       3.. name and digest of each tool
-- reply a state for each tool: new | same | changed | held | full

-- @include ../../redis/clock.lua
-- @include ../../redis/form.lua

local now = int(now_ms(ARGV[1]))

local form = redis.call('HGET', KEYS[1], 'form')
check_form('pins', form)

local function digest_of(field)
  local stored = redis.call('HGET', KEYS[1], field)
  return stored and string.match(stored, '^(%S+)')
end

local states = {}
for at = 3, #ARGV, 2 do
  local pin, changed, digest = 'pin:' .. ARGV[at], 'changed:' .. ARGV[at], ARGV[at + 1]
  local pinned = digest_of(pin)
  local state
  if not pinned then
    -- Marks of changed tools count too, so a server with many of them can pin slightly fewer tools.
    if redis.call('HLEN', KEYS[1]) - (form and 1 or 0) < tonumber(ARGV[2]) then
      redis.call('HSET', KEYS[1], pin, digest .. ' ' .. now)
      if WRITE_VERSION > 1 and not form then
        form = WRITE_VERSION
        redis.call('HSET', KEYS[1], 'form', form)
      end
      state = 'new'
    else
      state = 'full'
    end
  elseif pinned ~= digest then
    if digest_of(changed) ~= digest then
      redis.call('HSET', KEYS[1], changed, digest .. ' ' .. now)
    end
    state = 'changed'
  elseif digest_of(changed) then
    if digest_of(changed) ~= digest then
      redis.call('HSET', KEYS[1], changed, digest .. ' ' .. now)
    end
    state = 'held'
  else
    state = 'same'
  end
  states[#states + 1] = state
end
return states
