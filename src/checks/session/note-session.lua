#!lua
-- Notes a taint, a mark, or a call of an MCP server and the name of its tool, in a session that from then on stays until
-- it is idle or ended. A repeat under the same operation gets the first answer.
--
-- KEYS  1..3 see life.lua
-- ARGV  1 now in Unix ms, for tests; '' = Redis's own clock   2 see life.lua
--       3 when the session was created; '' = whenever
--       4 taint | tool | mark   5 its name; '' notes none   6 operation id   7 how many of the kind a session holds
--       8 '1' where the call was answered 2xx, else ''
-- reply added | known | full | gone (there is no such session)

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
