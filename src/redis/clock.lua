-- Shared by scripts that tell the time and count in whole numbers.

-- Lua prints only 14 digits of a number by itself. Formatting is slow, and the same numbers come again.
local texts = {}
local function int(number)
  local text = texts[number]
  if not text then
    text = string.format('%.0f', number)
    texts[number] = text
  end
  return text
end

-- Unix ms: Redis's own clock, so that no gateway's skewed one decides; `override` is for tests.
local function now_ms(override)
  if override ~= '' then
    return tonumber(override)
  end
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end
