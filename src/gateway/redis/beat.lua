-- Notes that an instance is there, and answers who is: for each, its name, its state, and the ms since it said so.
-- ARGV: the instance's name, its state, and for how many ms that counts.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local keep = tonumber(ARGV[3])
if redis.call('TYPE', KEYS[1]).ok ~= 'hash' then redis.call('UNLINK', KEYS[1]) end
redis.call('HSET', KEYS[1], ARGV[1], string.format('%.0f ', now) .. ARGV[2])
redis.call('PEXPIRE', KEYS[1], keep)
local all = redis.call('HGETALL', KEYS[1])
local found = {}
for i = 1, #all, 2 do
  local at, state = string.match(all[i + 1], '^(%d+) (%l+)$')
  if at and now - at < keep then
    found[#found + 1] = { all[i], state, math.max(0, now - at) }
  else
    redis.call('HDEL', KEYS[1], all[i])
  end
end
return found
