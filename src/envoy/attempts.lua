-- Makes one attempt to send a request that has several targets (docs/routes.md). Envoy's first router retries with this
-- listener; each attempt follows the plan with its number, which the sidecar wrote after judging the target:
--   cluster, authority, path   the address of the attempt
--   set = name:value           headers for this target only; drop = headers that it must not get
--   splice = start:end:text    body changes for this target, in order
--   within                     milliseconds within which the answer must begin
--   again                      outcomes after which the next target is tried
-- Values are percent-encoded. An error leaves the request without a cluster, so Envoy answers it itself.

-- Outcomes of earlier attempts by request id. All attempts of a request run on one thread, and share this state.
TRIED = TRIED or {}
KNOWN = KNOWN or 0
local MAX_KNOWN = 20000

local NOT_CONNECTED =
  { "connection_failure", "connection_timeout", "no_healthy_upstream", "cluster_not_found", "no_cluster_found" }

local function decode(text)
  return (text:gsub("%%(%x%x)", function(hex)
    return string.char(tonumber(hex, 16))
  end))
end

local function spliced(body, splices)
  local parts, from = {}, 0
  for _, splice in ipairs(splices) do
    local first, last, text = splice:match("^(%d+):(%d+):(.*)$")
    parts[#parts + 1] = body:sub(from + 1, tonumber(first))
    parts[#parts + 1] = text
    from = tonumber(last)
  end
  parts[#parts + 1] = body:sub(from + 1)
  return table.concat(parts)
end

local function read_plan(written)
  local plan = { set = {}, drop = {}, splice = {} }
  for key, value in written:gmatch("([%w]+)=([^&]*)") do
    local text = decode(value)
    if type(plan[key]) == "table" then
      table.insert(plan[key], text)
    else
      plan[key] = text
    end
  end
  return plan
end

local function remember(handle, number, id, plan)
  local metadata = handle:streamInfo():dynamicMetadata()
  metadata:set("attempt", "number", number)
  metadata:set("attempt", "id", id)
  metadata:set("attempt", "again", plan.again or "")
end

local function change_body(handle, splices)
  local body = handle:body(true)
  local size = body:length()
  local length = body:setBytes(spliced(size > 0 and body:getBytes(0, size) or "", splices))
  -- Handles are invalid after the wait for the body.
  handle:headers():replace("content-length", tostring(length))
end

function envoy_on_request(handle)
  local headers = handle:headers()
  headers:remove("x-gateway-upstream")
  local number = tonumber(headers:get("x-gw-attempt"))
  local written = headers:get("x-gw-plan-" .. number)
  local id = headers:get("x-request-id")
  local internal = {}
  for name in pairs(headers) do
    if name:sub(1, 5) == "x-gw-" then
      internal[#internal + 1] = name
    end
  end
  for _, name in ipairs(internal) do
    headers:remove(name)
  end
  local plan = read_plan(written)
  remember(handle, number, id, plan)
  for _, name in ipairs(plan.drop) do
    headers:remove(name)
  end
  for _, field in ipairs(plan.set) do
    local name, value = field:match("^([^:]+):(.*)$")
    headers:replace(name, value)
  end
  if plan.within then
    -- The router ignores this limit once an answer has begun.
    headers:replace("x-envoy-upstream-rq-per-try-timeout-ms", plan.within)
  end
  headers:replace(":path", plan.path)
  headers:replace(":authority", plan.authority)
  if #plan.splice > 0 then
    change_body(handle, plan.splice)
  end
  handle:headers():replace("x-gateway-upstream", plan.cluster)
end

-- Proxies at the provider send 502, 504 and 524, although the model may have run.
local function outcome(status, isProviders, details)
  if not isProviders then
    for _, cause in ipairs(NOT_CONNECTED) do
      if details:find(cause, 1, true) then
        return "connect"
      end
    end
    return details:find("timeout", 1, true) and "timeout" or "lost"
  end
  if status == 429 then
    return "429"
  end
  if status == 502 or status == 504 or status == 524 then
    return "unsure"
  end
  return status >= 500 and "5xx" or "answered"
end

local function note(id, entry, isLast)
  local before = TRIED[id]
  if before == nil then
    KNOWN = KNOWN + 1
    if KNOWN > MAX_KNOWN then
      TRIED, KNOWN = {}, 1
    end
  end
  local all = before == nil and entry or before .. "," .. entry
  TRIED[id] = not isLast and all or nil
  if isLast then
    KNOWN = KNOWN - 1
  end
  return all
end

function envoy_on_response(handle)
  local headers = handle:headers()
  local isProviders = headers:get("x-gw-origin") ~= nil
  local details = headers:get("x-gw-details") or ""
  local status = tonumber(headers:get(":status"))
  headers:remove("x-gw-details")
  local attempt = handle:streamInfo():dynamicMetadata():get("attempt")
  if attempt == nil then
    return
  end
  local kind = outcome(status, isProviders, details)
  local isAgain = ("," .. attempt.again .. ","):find("," .. kind .. ",", 1, true) ~= nil
  local number = string.format("%d", attempt.number)
  headers:replace("x-gw-tried", note(attempt.id, number .. ":" .. kind .. ":" .. status, not isAgain))
  if isAgain then
    headers:replace("x-gw-again", "1")
  end
end
