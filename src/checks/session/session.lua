-- Shared by the session scripts: time, numbers and the session's hash.
--
-- A session is a hash: created, used (Unix ms), steps, state, and where they are set max_steps and budget (nano-USD);
-- each taint as taint:<flag> and each tool as tool:<name>, with `<place>:<operation>` as value, counted in taints and
-- tools. Its spend stands in a purse of the budget scripts, field session:spent.

local function int(number)
  return string.format('%.0f', number)
end

local function now_ms(override)
  if override ~= '' then
    return tonumber(override)
  end
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end
