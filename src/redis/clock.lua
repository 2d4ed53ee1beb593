-- Shared by scripts that need the time, or write whole numbers.

-- Lua prints only 14 digits of a number. Formatting is slow, so formatted numbers are cached. Arguments to redis.call
-- need no formatting: Redis writes whole numbers itself, and faster.
local texts = {}
local function int(number)
  local text = texts[number]
  if not text then
    text = string.format('%.0f', number)
    texts[number] = text
  end
  return text
end

local clock_us, clock_ms

-- Returns Unix microseconds from the Redis clock, because gateway clocks differ; read once per script. `override`, in
-- Unix ms, is for tests.
local function now_us(override)
  if override ~= '' then
    return override * 1000
  end
  if not clock_us then
    local time = redis.call('TIME')
    clock_us = time[1] * 1000000 + time[2]
  end
  return clock_us
end

-- Returns Unix ms.
local function now_ms(override)
  if override ~= '' then
    return math.floor(override)
  end
  clock_ms = clock_ms or math.floor(now_us(override) / 1000)
  return clock_ms
end
