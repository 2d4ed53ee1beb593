-- Calendar windows in UTC, or from a list of start times.

local DAY_MS = 86400000
local UNIT_MS = { minute = 60000, hour = 3600000, day = DAY_MS }

-- Returns the days from 1970-01-01 to a month's first day (proleptic Gregorian; the year is counted from March).
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

-- Returns the window that contains `now`, from a list of start times. The caller lists the windows around its own time,
-- because its clock is not trusted. Throws if `now` lies outside all of them.
local function listed_window(calendar, now)
  local start
  for beginning in string.gmatch(calendar, '%d+') do
    beginning = tonumber(beginning)
    if start and start <= now and now < beginning then
      return start, beginning
    end
    start = beginning
  end
  error('the Redis clock differs from the gateway clock by more than a window')
end

-- Returns start and end (Unix ms) of the window that contains `now`; calendar: minute|hour|day|week|month, or
-- at:<start times>.
local function window_at(calendar, now)
  if string.sub(calendar, 1, 3) == 'at:' then
    return listed_window(calendar, now)
  end
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
