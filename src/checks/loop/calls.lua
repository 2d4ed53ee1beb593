-- Shared by the loop scripts: the answered calls of a session, or those of its tools. One string of entries, oldest
-- first, all in ASCII, because the store reads them as text:
--
--   version (1), time (13 digits, Unix ms), fingerprint (16 hex digits), operation
--
-- Entries are appended. The string may contain more entries than needed, so that it is rarely rewritten.

local ENTRY_VERSION, ENTRY_BYTES = '1', 1 + 13 + 16 + ID_BYTES

-- Returns at most the last `most` calls.
local function last_calls(key, most)
  local entries = redis.call('GETRANGE', key, int(-most * ENTRY_BYTES), -1)
  local last = #entries - ENTRY_BYTES + 1
  local version = last > 0 and string.sub(entries, last, last) or ENTRY_VERSION
  if version ~= ENTRY_VERSION and string.find(version, '^%w') then
    error('UNKNOWN_FORM calls ' .. version)
  end
  if version ~= ENTRY_VERSION or #entries % ENTRY_BYTES ~= 0 then
    error('calls of a session are damaged: end the session')
  end
  return entries
end
