local key, client = KEYS[1], ARGV[1]
local clientMax, globalMax, cost = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local windowMs, maxClients = tonumber(ARGV[5]), tonumber(ARGV[6])
local seenNumber, seenClient, seenGlobal = tonumber(ARGV[7]), tonumber(ARGV[8]), tonumber(ARGV[9])

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local number = math.floor(now / windowMs)
local stored = redis.call('HMGET', key, 'window', 'all', client)
local window = tonumber(stored[1])
-- A clock that steps back stays in the window that it was in.
if window == number + 1 then number = window end
local isNew = window ~= number
local spentByAll = not isNew and tonumber(stored[2]) or 0
local spent = not isNew and tonumber(stored[3]) or 0
if clientMax >= 0 and not isNew and not stored[3] and redis.call('HLEN', key) - 2 >= maxClients then
  client = 'rest'
  spent = tonumber(redis.call('HGET', key, client)) or 0
end

local isWritten = false
if seenNumber == number then
  if seenGlobal > spentByAll then spentByAll, isWritten = seenGlobal, true end
  if client ~= 'rest' and seenClient > spent then spent, isWritten = seenClient, true end
end

local refusal = 0
if cost > 0 then
  if clientMax >= 0 and spent + cost > clientMax then refusal = 1
  elseif globalMax >= 0 and spentByAll + cost > globalMax then refusal = 2
  else
    spent, spentByAll, isWritten = spent + cost, spentByAll + cost, true
  end
end

local endsAt = (number + 1) * windowMs
if isWritten then
  if isNew then redis.call('UNLINK', key) end
  if clientMax >= 0 then
    redis.call('HSET', key, 'window', number, 'all', spentByAll, client, spent)
  else
    redis.call('HSET', key, 'window', number, 'all', spentByAll)
  end
  if isNew then redis.call('PEXPIREAT', key, endsAt + 1000) end
end
return {refusal, number, spent, spentByAll, endsAt - now}
