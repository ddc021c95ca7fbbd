-- Appends entries to a stream, and answers the oldest of those after a given one: for each its id, and its text.
-- ARGV: the id, how many to answer, how many to keep, for how many ms, and the texts to append.
local key, after, keepMs = KEYS[1], ARGV[1], tonumber(ARGV[4])
local function ms(id) return tonumber(string.match(id, '^%d+')) end

if redis.call('TYPE', key).ok ~= 'stream' then redis.call('UNLINK', key) end
for i = 5, #ARGV do redis.call('XADD', key, 'MAXLEN', ARGV[3], '*', 'row', ARGV[i]) end
redis.call('PEXPIRE', key, keepMs)
local old = string.format('%.0f', redis.call('TIME')[1] * 1000 - keepMs)
for _, entry in ipairs(redis.call('XRANGE', key, '-', old, 'COUNT', 100)) do redis.call('XDEL', key, entry[1]) end
-- A Redis that lost its entries may have a clock that is behind.
local newest = redis.call('XREVRANGE', key, '+', '-', 'COUNT', 1)[1]
if newest and ms(newest[1]) < ms(after) then after = '0-0' end

local found = {}
local read = redis.call('XREAD', 'COUNT', ARGV[2], 'STREAMS', key, after)
for _, entry in ipairs(read and read[1][2] or {}) do found[#found + 1] = { entry[1], entry[2][2] } end
return found
