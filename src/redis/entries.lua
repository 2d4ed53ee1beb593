-- Shared by the scripts that keep lists in strings: entries of one width in a row, the oldest first, each with the id of
-- the operation that it is of.

-- Ids of operations are random: 13 characters hold 48 bits at least. Whatever Lua reads or joins it hashes, so that
-- each byte counts.
local ID_BYTES = 13

local function short_id(operation)
  return #operation < ID_BYTES and string.format('%-13s', operation) or string.sub(operation, 1, ID_BYTES)
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
