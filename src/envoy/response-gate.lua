-- The response gate. A provider's answer has a mark that only our upstream filter can set. It passes only with the
-- sidecar's verdict for this request, in the dynamic metadata "gw":
--   resp = "whole"   the whole body was inspected
--   resp = "stream"  a stream; out = bytes that the sidecar has emitted, checked at every chunk
-- A denied answer keeps one header: the request id, which the route sets in place of the provider's.
-- Answers without the mark are Envoy's own, and pass. Every failure must deny, because Envoy passes an answer after
-- a Lua error. All code that can fail therefore runs under pcall.

local DENIED = '{"error":"the policy service is unavailable","type":"gateway_unavailable"}'
-- The same in JSON-RPC, for routes to MCP servers.
local DENIED_RPC = '{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"the policy service is unavailable",'
  .. '"data":{"type":"gateway_unavailable"}},"type":"gateway_unavailable"}'
local KEPT = { [":status"] = true, ["x-gateway-request-id"] = true }
local CUT = "event: error\ndata: " .. DENIED .. "\n\n"

-- Must be called for each chunk, because a handle is invalid after a chunk boundary.
local function verdict(handle)
  local gw = handle:streamInfo():dynamicMetadata():get("gw")
  if gw == nil then
    return nil, 0
  end
  return gw["resp"], gw["out"] or 0
end

-- Removes every header whose name is not in `keep`.
local function clear(headers, keep)
  local names = {}
  for name in pairs(headers) do
    names[#names + 1] = name
  end
  for _, name in ipairs(names) do
    if not keep[name] then
      headers:remove(name)
    end
  end
end

local function count_stream(handle)
  local passed = 0
  local cut = false
  for chunk in handle:bodyChunks() do
    local size = chunk:length()
    if cut then
      chunk:setBytes("")
    elseif size > 0 then
      local ok, kind, emitted = pcall(verdict, handle)
      if ok and kind == "stream" and passed + size <= emitted then
        passed = passed + size
      else
        cut = true
        chunk:setBytes(CUT)
      end
    end
  end
end

local function surface(handle)
  return handle:metadata():get("surface")
end

local function deny(handle, headers)
  clear(headers, KEPT)
  headers:replace(":status", "503")
  headers:replace("content-type", "application/json")
  headers:replace("x-gateway-error-type", "gateway_unavailable")
  local ok, asked = pcall(surface, handle)
  local body = ok and asked == "mcp" and DENIED_RPC or DENIED
  for chunk in handle:bodyChunks() do
    chunk:setBytes(body)
    body = ""
  end
  -- Without a chunk, a body must be added, but not if trailers directly follow the headers, because Envoy would crash.
  if body ~= "" and handle:trailers() == nil then
    handle:body(true):setBytes(body)
  end
end

function envoy_on_response(handle)
  local headers = handle:headers()
  local mark = headers:get("x-gw-origin")
  headers:remove("x-gw-origin")
  if mark == nil then
    return
  end
  local ok, kind = pcall(verdict, handle)
  if ok and kind == "stream" then
    count_stream(handle)
  elseif not (ok and kind == "whole") then
    deny(handle, headers)
  end
  local trailers = handle:trailers()
  if trailers ~= nil then
    clear(trailers, {})
  end
end
