local key, client = KEYS[1], ARGV[1]
local clientMax, globalMax, cost = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local windowMs, maxClients = tonumber(ARGV[5]), tonumber(ARGV[6])
local seenNumber, seenClient, seenGlobal = tonumber(ARGV[7]), tonumber(ARGV[8]), tonumber(ARGV[9])

-- What another program has put there counts for nothing.
local function count(text)
  local number = tonumber(text)
  if number and number >= 0 and number <= MAX_COUNT and number % 1 == 0 then return number end
  return 0
end

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local number = math.floor(now / windowMs)
local stored = fields(key, 'window', 'all', client)
local window = count(stored[1])
-- A clock that steps back stays in the window that it was in, as Redis or an instance knows it. From further back
-- what was spent comes along, into the window that the clock is in now.
if window == number + 1 or (seenNumber == number + 1 and seenGlobal > 0) then number = number + 1 end
local isNew = window < number
local spentByAll = not isNew and count(stored[2]) or 0
local spent = not isNew and count(stored[3]) or 0
if clientMax >= 0 and not isNew and not stored[3] and redis.call('HLEN', key) - 2 >= maxClients then
  client = 'rest'
  spent = count(redis.call('HGET', key, client))
end

local isWritten = window > number
if seenNumber >= number then
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
  -- Once a script has written, a full Redis lets it write on: where nothing is to be deleted, nothing is.
  if isNew and redis.call('EXISTS', key) == 1 then redis.call('UNLINK', key) end
  if clientMax >= 0 then
    redis.call('HSET', key, 'window', number, 'all', spentByAll, client, spent)
  else
    redis.call('HSET', key, 'window', number, 'all', spentByAll)
  end
end
-- Nor does it stay for longer where another program has taken its end away, or the clock has gone back.
if isWritten and window ~= number or stored[1] and redis.call('PTTL', key) < 0 then
  redis.call('PEXPIREAT', key, endsAt + 1000)
end
return {refusal, number, spent, spentByAll, endsAt - now}
