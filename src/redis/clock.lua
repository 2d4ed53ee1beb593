-- Shared by scripts that tell the time and count in whole numbers.

-- Lua prints only 14 digits of a number by itself. Formatting is slow, and the same numbers come again. What is handed to
-- redis.call needs none of it: Redis writes whole numbers out itself, and faster.
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

-- Unix microseconds: Redis's own clock, so that no gateway's skewed one decides, asked once by all that a script does;
-- `override`, in Unix ms, is for tests.
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

-- Unix ms.
local function now_ms(override)
  if override ~= '' then
    return math.floor(override)
  end
  clock_ms = clock_ms or math.floor(now_us(override) / 1000)
  return clock_ms
end
