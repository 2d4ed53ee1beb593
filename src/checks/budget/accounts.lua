-- Shared by the budget scripts: accounts, their windows, and holds whose lease ran out.
--
-- A purse is a hash of accounts, each with four fields: <name>:start (Unix ms of its window; without a calendar, of the
-- purse's first use), <name>:spent, <name>:reserved (integer nano-USD), <name>:alerted (`<start>:<percent>`, the highest
-- threshold told); one without a calendar may have <name>:limit, the tightest that anyone has named for it, which holds
-- beside the one in ARGV. What is charged also joins total_spend of the risk profile, KEYS[2] of every script.
-- A hold is a hash: state (held | charged | settled), amount, granted, crossed, and one field for each purse it
-- stands in: the purse's key -> `<name>=<start>;...`, the windows it was reserved in. Those keys carry the caller's
-- own hash tag, so that every key a script touches is in one slot.
-- In ARGV an account is five values: index of its purse in KEYS, name, calendar (minute|hour|day|week|month|none),
-- limit in nano-USD or '', life in ms of a purse that is not used.

local DAY_MS = 86400000
local UNIT_MS = { minute = 60000, hour = 3600000, day = DAY_MS }
-- How long a settlement may come after its lease ran out.
local LATE_MS = 3600000
local EXPIRED_PER_CALL = 64
local MAX_NANO_USD = 9000000000000000

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

-- Start and end (Unix ms) of the UTC calendar window that holds `now`.
local function window_at(calendar, now)
  local length = UNIT_MS[calendar]
  if length then
    local start = math.floor(now / length) * length
    return start, start + length
  end
  local day = math.floor(now / DAY_MS)
  if calendar == 'week' then
    local monday = day - (day + 3) % 7
    return monday * DAY_MS, (monday + 7) * DAY_MS
  end
  local year, month = month_of(day)
  return days_of_month(year, month) * DAY_MS, days_of_month(year, month + 1) * DAY_MS
end

-- Sets an account to its window as of `now`; true where the stored one still runs. A window rolls forward only:
-- when the clock goes back, the later one stays. Without a calendar it lasts as long as its purse: a purse that was
-- dropped and is used again is another window, so that what was reserved in the first never moves the second.
local function set_window(account, now, stored)
  if account.calendar == 'none' then
    account.rolled = not stored
    account.start = stored or int(now)
    return stored
  end
  local start, finish = window_at(account.calendar, now)
  local stored_start = tonumber(stored or '-1')
  if stored_start > start then
    start, finish = window_at(account.calendar, stored_start)
  end
  account.rolled = stored_start < start
  account.start = account.rolled and int(start) or stored
  account.finish = finish
  return not account.rolled
end

-- Reads the accounts that ARGV names from `first` on; sums only where somebody asks: of limits, of accounts without a
-- calendar, or of all. Returns them in order, and by purse.
local function load_accounts(first, now, all)
  local accounts, purses = {}, {}
  for arg = first, #ARGV, 5 do
    local key = KEYS[tonumber(ARGV[arg])]
    local account = {
      purse = key,
      name = ARGV[arg + 1],
      calendar = ARGV[arg + 2],
      limit = tonumber(ARGV[arg + 3]),
      idle_ms = ARGV[arg + 4],
      spent = 0,
      reserved = 0,
    }
    account.summed = all or account.limit or account.calendar == 'none'
    accounts[#accounts + 1] = account
    local members = purses[key]
    if not members then
      members = {}
      purses[key] = members
    end
    members[#members + 1] = account
  end
  for key, members in pairs(purses) do
    local fields = {}
    for _, account in ipairs(members) do
      fields[#fields + 1] = account.name .. ':start'
      if account.summed then
        fields[#fields + 1] = account.name .. ':spent'
        fields[#fields + 1] = account.name .. ':reserved'
      end
      if account.calendar == 'none' then
        fields[#fields + 1] = account.name .. ':limit'
      end
    end
    local values, at = redis.call('HMGET', key, unpack(fields)), 1
    for _, account in ipairs(members) do
      local runs = set_window(account, now, values[at])
      at = at + 1
      if account.summed then
        if runs then
          account.spent, account.reserved = tonumber(values[at]), tonumber(values[at + 1])
        end
        at = at + 2
      end
      if account.calendar == 'none' then
        local limit = tonumber(values[at] or '')
        if limit and not (account.limit and account.limit <= limit) then
          account.limit = limit
        end
        at = at + 1
      end
    end
  end
  return accounts, purses
end

-- Adds to accounts, opening the windows that have turned. A purse lives for its idle time after one turned in it. That of
-- an account without a calendar is never given less: its owner may have put it off since the amount was reserved.
local function add(key, members, spent, reserved)
  local idle_ms, lasting
  for _, account in ipairs(members) do
    local name = account.name
    account.spent = account.spent + spent
    account.reserved = account.reserved + reserved
    if account.rolled then
      redis.call(
        'HSET', key, name .. ':start', account.start,
        name .. ':spent', int(account.spent), name .. ':reserved', int(account.reserved)
      )
    else
      if spent ~= 0 then
        redis.call('HINCRBY', key, name .. ':spent', int(spent))
      end
      if reserved ~= 0 then
        redis.call('HINCRBY', key, name .. ':reserved', int(reserved))
      end
    end
    if account.rolled or not account.finish then
      idle_ms, lasting = account.idle_ms, not account.finish
    end
    account.rolled = false
  end
  if lasting then
    redis.call('PEXPIRE', key, idle_ms, 'NX')
    redis.call('PEXPIRE', key, idle_ms, 'GT')
  elseif idle_ms then
    redis.call('PEXPIRE', key, idle_ms)
  end
end

-- Adds to what the key has cost in all its time (SPEC "Agent risk profile").
local function add_total(spent)
  if spent ~= 0 then
    redis.call('HINCRBY', KEYS[2], 'total_spend', int(spent))
  end
end

-- The windows that accounts stand in, as a hold keeps them: `daily=1767225600000;...`.
local function windows_of(members)
  local windows = {}
  for _, account in ipairs(members) do
    windows[#windows + 1] = account.name .. '=' .. account.start
  end
  return table.concat(windows, ';')
end

-- Moves money in the accounts that a hold stands in; a window that has rolled over since is left alone.
local function move(hold, spent, reserved)
  local fields = redis.call('HGETALL', hold)
  for i = 1, #fields, 2 do
    if string.sub(fields[i], 1, 8) == 'gateway:' then
      for name, start in string.gmatch(fields[i + 1], '([^=;]+)=([^;]+)') do
        if redis.call('HGET', fields[i], name .. ':start') == start then
          redis.call('HINCRBY', fields[i], name .. ':spent', int(spent))
          redis.call('HINCRBY', fields[i], name .. ':reserved', int(reserved))
        end
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
      add_total(amount)
      redis.call('HSET', hold, 'state', 'charged')
      redis.call('PEXPIRE', hold, LATE_MS)
    end
    redis.call('ZREM', holds, hold)
  end
  return #expired
end

-- Notes an account as the tightest so far: least remainder, then the longest wait.
local function tighter(best, index, account)
  local remaining = account.limit - account.spent - account.reserved
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
