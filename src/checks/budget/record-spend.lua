-- Part of accounts.lua, included if daily spend is recorded: a hash of nano-USD by label for each key and day (Unix
-- time in days). The label `expired` contains the charges of expired leases, minus those that late settlements took
-- back.

local MAX_LABELS, SPEND_DAY_MS, TAG_AT = 250, 86400000, 15

local day = 'gateway:spend_day:' .. string.sub(KEYS[1], TAG_AT) .. ':' .. int(math.floor(charged_at / SPEND_DAY_MS))
if total ~= labelled_cost then
  redis.call('HINCRBY', day, 'expired', total - labelled_cost)
end
if labelled_cost ~= 0 then
  if redis.call('HEXISTS', day, label) == 0 and redis.call('HLEN', day) >= MAX_LABELS then
    label = 'other'
  end
  redis.call('HINCRBY', day, label, labelled_cost)
end
redis.call('PEXPIRE', day, SPEND_LIFE_TEXT)
