-- Shared by the scripts of sessions: what was noted in one. Taints, tools and marks are a list each, in the order in which
-- they came: the name after its length (2 bytes), and the operation that noted it.

local NOTE_LAYOUT = '<Hc0c13'

local function names_in(notes)
  local names, at, operation = {}, 1
  while at <= #notes do
    names[#names + 1], operation, at = struct.unpack(NOTE_LAYOUT, notes, at)
  end
  return names
end

-- The operation that noted a name, nil where it is not noted; how many names there are up to it.
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

-- A session as the store reads it; limits are -1 where there are none.
local function view_of(session)
  return {
    session.created, session.used, session.steps, session.max_steps, session.budget, session.answered and 1 or 0,
    session.kept and 1 or 0, session.state, names_in(session.taint), names_in(session.tool), names_in(session.mark),
  }
end
