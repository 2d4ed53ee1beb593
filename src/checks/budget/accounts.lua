-- Shared by the budget scripts: accounts, their windows, and holds whose lease ran out.
--
-- An account is a hash: start (Unix ms of its window, 0 without a calendar), spent, reserved (integer nano-USD)
-- and alert:<percent> marks. A hold is a hash: state (held | charged | settled), amount, granted, and one field
-- for each account it stands in: the account's key -> the start of the window it was reserved in. Those keys carry
-- the caller's own hash tag, so that every key a script touches is in one slot.

local MINUTE_MS, DAY_MS = 60000, 86400000
-- How long a settlement may come after its lease ran out, and windows and holds are remembered.
local LATE_MS = 3600000
local EXPIRED_PER_CALL = 64

-- Lua prints only 14 digits of a number by itself.
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

-- Days since 1970-01-01 of a month's first day (proleptic Gregorian; the year is counted from March).
local function days_of_month(year, month)
  if month <= 2 then
    year = year - 1
    month = month + 12
  end
  local day_of_year = math.floor((153 * (month - 3) + 2) / 5)
  return 365 * year + math.floor(year / 4) - math.floor(year / 100) + math.floor(year / 400) + day_of_year - 719468
end

local function month_of(day)
  local year = 1970 + math.floor(day / 365.2425)
  while days_of_month(year, 1) > day do
    year = year - 1
  end
  while days_of_month(year + 1, 1) <= day do
    year = year + 1
  end
  local month = 12
  while days_of_month(year, month) > day do
    month = month - 1
  end
  return year, month
end

-- Start and end (Unix ms) of the UTC calendar window that holds `now`; 0, nil where there is no calendar.
local function window_at(calendar, now)
  local length = ({ minute = MINUTE_MS, hour = 60 * MINUTE_MS, day = DAY_MS })[calendar]
  if length then
    local start = math.floor(now / length) * length
    return start, start + length
  end
  local day = math.floor(now / DAY_MS)
  if calendar == 'week' then
    local monday = day - (day + 3) % 7
    return monday * DAY_MS, (monday + 7) * DAY_MS
  end
  if calendar == 'month' then
    local year, month = month_of(day)
    return days_of_month(year, month) * DAY_MS, days_of_month(year, month + 1) * DAY_MS
  end
  return 0, nil
end

-- Reads an account as of `now`. A window rolls forward only: when the clock goes back, the later window stays.
local function load_account(key, calendar, now)
  local fields = redis.call('HMGET', key, 'start', 'spent', 'reserved')
  local start, finish = window_at(calendar, now)
  local stored = tonumber(fields[1] or '-1')
  if stored < start then
    return { key = key, start = start, finish = finish, spent = 0, reserved = 0, rolled = true }
  end
  if stored > start then
    start, finish = window_at(calendar, stored)
  end
  return {
    key = key,
    start = start,
    finish = finish,
    spent = tonumber(fields[2] or '0'),
    reserved = tonumber(fields[3] or '0'),
    rolled = false,
  }
end

-- Writes an account back; `idle_ms` is the life of one without a calendar.
local function save_account(account, now, idle_ms)
  if account.rolled then
    redis.call('DEL', account.key)
  end
  redis.call(
    'HSET', account.key,
    'start', int(account.start), 'spent', int(account.spent), 'reserved', int(account.reserved)
  )
  if not account.finish then
    redis.call('PEXPIRE', account.key, idle_ms)
  elseif account.rolled then
    redis.call('PEXPIRE', account.key, int(account.finish - now + LATE_MS))
  end
end

-- Moves money in the accounts that a hold stands in; a window that has rolled over since is left alone.
local function move(hold, spent, reserved)
  local fields = redis.call('HGETALL', hold)
  for i = 1, #fields, 2 do
    local key, start = fields[i], fields[i + 1]
    if string.sub(key, 1, 8) == 'gateway:' and redis.call('HGET', key, 'start') == start then
      if spent ~= 0 then
        redis.call('HINCRBY', key, 'spent', int(spent))
      end
      if reserved ~= 0 then
        redis.call('HINCRBY', key, 'reserved', int(reserved))
      end
    end
  end
end

-- Charges holds whose lease ran out at their full amount; at most EXPIRED_PER_CALL. Returns how many it found.
local function settle_expired(holds, now)
  local expired = redis.call('ZRANGEBYSCORE', holds, '-inf', int(now), 'LIMIT', 0, EXPIRED_PER_CALL)
  for _, hold in ipairs(expired) do
    local fields = redis.call('HMGET', hold, 'state', 'amount')
    if fields[1] == 'held' then
      local amount = tonumber(fields[2])
      move(hold, amount, -amount)
      redis.call('HSET', hold, 'state', 'charged')
      redis.call('PEXPIRE', hold, LATE_MS)
    end
    redis.call('ZREM', holds, hold)
  end
  return #expired
end

-- Notes an account as the tightest so far: least remainder, then the longest wait.
local function tighter(best, index, account, limit)
  local remaining = limit - account.spent - account.reserved
  local wait = account.finish or math.huge
  if not best or remaining < best.remaining or (remaining == best.remaining and wait > best.wait) then
    return { index = index, remaining = remaining, wait = wait, finish = account.finish }
  end
  return best
end

-- index (from 0), remaining, ms until reset; -1 where there is none.
local function tightest_reply(best, now)
  if not best then
    return -1, '0', -1
  end
  return best.index, int(best.remaining), best.finish and math.max(0, best.finish - now) or -1
end
