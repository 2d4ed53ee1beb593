-- Shared by the scripts that move a session's state: the operations of its last moves, newest last.

local MOVES_KEPT = 16

local function has_moved(session, operation)
  return entry_at(session.moves, short_id(operation), ID_BYTES, 0) ~= nil
end

local function add_move(session, operation)
  session.moves = string.sub(session.moves .. short_id(operation), -MOVES_KEPT * ID_BYTES)
end

-- Returns false if the last move belongs to another operation.
local function drop_last_move(session, operation)
  if string.sub(session.moves, -ID_BYTES) ~= short_id(operation) then
    return false
  end
  session.moves = string.sub(session.moves, 1, -ID_BYTES - 1)
  return true
end
