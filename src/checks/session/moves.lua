-- Shared by the scripts that move a session's state: which operations made its last moves.
--
-- They stand in the session's hash as one text, ` <operation> <operation> ...`, the last move last.

local MOVES_KEPT = 16

local function has_moved(moves, operation)
  return string.find(moves .. ' ', ' ' .. operation .. ' ', 1, true) ~= nil
end

local function with_move(moves, operation)
  local kept = {}
  for earlier in string.gmatch(moves, '%S+') do
    kept[#kept + 1] = earlier
  end
  kept[#kept + 1] = operation
  local first = math.max(1, #kept - MOVES_KEPT + 1)
  return ' ' .. table.concat(kept, ' ', first)
end

-- Nil where this operation did not make the last move.
local function without_last(moves, operation)
  local last = ' ' .. operation
  if string.sub(moves, -#last) ~= last then
    return nil
  end
  return string.sub(moves, 1, -#last - 1)
end
