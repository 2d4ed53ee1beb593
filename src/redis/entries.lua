-- Shared by the scripts that keep lists in strings: entries of one width in a row, the oldest first, each with the id of
-- the operation that it is of.

-- Operations are random UUIDs: these characters of one hold 60 random bits.
local ID_BYTES = 18

local function short_id(operation)
  return string.format('%-18.18s', operation)
end

-- Where the entry of an operation begins, nil where there is none. Its id stands `before` bytes behind the beginning.
local function entry_at(entries, id, width, before)
  local at = string.find(entries, id, 1, true)
  while at do
    if (at - 1 - before) % width == 0 then
      return at - before
    end
    at = string.find(entries, id, at + 1, true)
  end
  return nil
end
