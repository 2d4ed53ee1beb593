-- Shared by scripts that keep lists in strings: fixed-width entries, oldest first, each with its operation id.

-- Operation ids are random, so 13 characters hold at least 48 bits. Kept short, because Lua hashes every string.
local ID_BYTES = 13

local function short_id(operation)
  return #operation < ID_BYTES and string.format('%-13s', operation) or string.sub(operation, 1, ID_BYTES)
end

-- Returns the position of an operation's entry, or nil. The id starts `before` bytes after the start of its entry.
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
