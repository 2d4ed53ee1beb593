-- Shared: what whoever includes it was given.
local function seen()
  return KEYS[1] .. '=' .. ARGV[1]
end
