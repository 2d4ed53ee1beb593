-- Shared: returns the first key and argument of the including script.
local function seen()
  return KEYS[1] .. '=' .. ARGV[1]
end
