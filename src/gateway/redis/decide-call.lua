local now = tonumber(ARGV[1])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + time[2] / 1000
end

-- Seventeen digits: a number is read back as what it was.
local function text(number) return string.format('%.17g', number) end

-- A clock that was set back neither adds nor takes anything.
local function credit(key, full, rate)
  local state = fields(key, 'credit', 'at')
  local left, at = tonumber(state[1]), tonumber(state[2])
  if not left or not at then return full, false end
  return math.max(0, math.min(full, left + math.max(0, now - at) * rate)), true
end

local function keep(key, left, ms)
  redis.call('HSET', key, 'credit', text(left), 'at', text(now))
  redis.call('PEXPIRE', key, math.ceil(ms) + 1)
end

local reply = { 0, 0, 0 }
local pause = fields(KEYS[1], 'ends', 'probeAt')
local ends, probeAt = tonumber(pause[1]), tonumber(pause[2])
if ends and probeAt and now < ends and ends - now <= MAX_MS then
  if redis.call('PTTL', KEYS[1]) < 0 then redis.call('PEXPIRE', KEYS[1], math.ceil(ends - now)) end
  reply[2] = math.ceil(ends - now)
  reply[3] = math.max(0, math.ceil(math.min(probeAt, ends) - now))
  if reply[3] > 0 then return reply end
elseif pause[1] or pause[2] then
  -- It is over, and another program has taken its end away; or it is none of ours, which are not as long.
  redis.call('UNLINK', KEYS[1])
end

local reserved, client = tonumber(ARGV[3]), ARGV[4]
for i = 1, (#KEYS - 1) / 2 do
  local bucket, share = KEYS[2 * i], KEYS[2 * i + 1]
  local full, cost = tonumber(ARGV[4 * i + 1]), tonumber(ARGV[4 * i + 2])
  local shareFull, unbooked = tonumber(ARGV[4 * i + 3]), tonumber(ARGV[4 * i + 4])
  local function leaving(percent) return math.min(full * percent / 100, full - cost) + cost end

  local othersAt
  if client ~= '' then
    local asked = fields(bucket, 'last', 'lastAt', 'othersAt')
    local lastAt = tonumber(asked[2])
    othersAt = tonumber(asked[3])
    -- From before the clock was set back by more.
    if othersAt and othersAt - now > ASKING then othersAt = nil end
    if asked[1] ~= client and lastAt and now - lastAt < ASKING then
      othersAt = now
      redis.call('HSET', bucket, 'othersAt', text(now))
    end
    redis.call('HSET', bucket, 'last', client, 'lastAt', text(now))
  end

  local left = math.max(0, credit(bucket, full, 1) - unbooked)
  local wait = leaving(reserved) - left
  local shareLeft, isKept = 0, false
  if client ~= '' then
    shareLeft, isKept = credit(share, shareFull, 1 / SHARES)
    local isSpare = (not othersAt or now - othersAt >= ASKING)
      and left >= leaving(math.max(ALL, reserved + ABOVE_RESERVE)) - ROUNDING
    if not isSpare then wait = math.max(wait, (cost - shareLeft) * SHARES) end
  end

  local isSpent = wait <= ROUNDING
  if isSpent then
    left = math.max(0, left - cost)
    shareLeft = math.max(0, shareLeft - cost)
  end
  keep(bucket, left, math.max(full - left, ASKING))
  if client ~= '' and (isSpent or isKept) then keep(share, shareLeft, (shareFull - shareLeft) * SHARES) end
  reply[3 + i] = math.floor(left)
  if not isSpent then
    reply[1] = math.ceil(wait)
    return reply
  end
end

if reply[2] > 0 and ARGV[2] ~= '' then
  redis.call('HSET', KEYS[1], 'probeAt', text(now + tonumber(ARGV[2])))
end
return reply
