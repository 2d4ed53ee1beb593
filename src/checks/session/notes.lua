-- Shared by the session scripts: a session's notes. Taints, tools and marks are one list each, oldest first: length of
-- the name (2 bytes), name, and the operation that added it.

local NOTE_LAYOUT = '<Hc0c13'

local function names_in(notes)
  local names, at, operation = {}, 1
  while at <= #notes do
    names[#names + 1], operation, at = struct.unpack(NOTE_LAYOUT, notes, at)
  end
  return names
end

-- Returns the operation that added a name (nil if none did), and the number of names up to it.
local function noted_by(notes, name)
  local count, at, found, operation = 0, 1
  while at <= #notes do
    found, operation, at = struct.unpack(NOTE_LAYOUT, notes, at)
    count = count + 1
    if found == name then
      return operation, count
    end
  end
  return nil, count
end

local function with_note(notes, name, operation)
  return notes .. struct.pack(NOTE_LAYOUT, #name, name, short_id(operation))
end

-- Returns a session as the store parses it, with -1 for a missing limit.
local function view_of(session)
  return {
    session.created, session.used, session.steps, session.max_steps, session.budget, session.answered and 1 or 0,
    session.kept and 1 or 0, session.state, names_in(session.taint), names_in(session.tool), names_in(session.mark),
  }
end
