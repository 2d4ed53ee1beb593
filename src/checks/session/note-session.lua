#!lua
-- Notes a taint, a mark, or a call of an MCP server and the name of its tool, in a session that from then on stays until
-- it is idle or ended. A repeat under the same operation gets the first answer.
--
-- KEYS  1..3 see life.lua
-- ARGV  1 now in Unix ms, for tests; '' = Redis's own clock   2..5 see life.lua
--       6 when the session was created; '' = whenever
--       7 taint | tool | mark   8 its name; '' notes none   9 operation id   10 how many of the kind a session holds
--      11 '1' where the call was answered 2xx, else ''
-- reply added | known | full | gone (there is no such session)

-- @include ../../redis/clock.lua
-- @include life.lua
-- @include notes.lua

local session, kind, name = session_of(1, 2), ARGV[7], ARGV[8]
if not lives_since(session, ARGV[6]) then
  return 'gone'
end

local function note()
  if name == '' then
    return 'known'
  end
  local operation, count = noted_by(session[kind], name)
  if operation then
    return operation == short_id(ARGV[9]) and 'added' or 'known'
  end
  if count >= tonumber(ARGV[10]) then
    return 'full'
  end
  session[kind] = with_note(session[kind], name, ARGV[9])
  return 'added'
end

session.kept, session.answered = true, session.answered or ARGV[11] == '1'
local noted = note()
put_off(session, now_ms(ARGV[1]))

local function commit()
  save_sessions()
end

return noted, commit
