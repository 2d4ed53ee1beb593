#!lua
-- Adds a taint, a mark, or an MCP server call with its tool name, to a session. The session then stays until it is idle
-- or ended. A repeat of the operation gets the first answer.
--
-- KEYS  1..3 see life.lua
-- ARGV  1 now in Unix ms, for tests; '' = Redis's own clock   2 see life.lua
--       3 creation time of the session; '' = any
--       4 taint | tool | mark   5 its name; '' adds nothing   6 operation id
--       7 maximum number of this kind per session   8 '1' if the call was answered with 2xx, else ''
-- reply added | known | full | gone (no live session)

-- @include ../../redis/clock.lua
-- @include life.lua
-- @include notes.lua

local session, kind, name = session_of(1, 2), ARGV[4], ARGV[5]
if not lives_since(session, ARGV[3]) then
  return 'gone'
end

local function note()
  if name == '' then
    return 'known'
  end
  local operation, count = noted_by(session[kind], name)
  if operation then
    return operation == short_id(ARGV[6]) and 'added' or 'known'
  end
  if count >= tonumber(ARGV[7]) then
    return 'full'
  end
  session[kind] = with_note(session[kind], name, ARGV[6])
  return 'added'
end

session.kept, session.answered = true, session.answered or ARGV[8] == '1'
local noted = note()
put_off(session, now_ms(ARGV[1]))

return noted, save_sessions
