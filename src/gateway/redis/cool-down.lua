local now = tonumber(ARGV[1])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + time[2] / 1000
end
fields(KEYS[1], 'ends')
redis.call('HSET', KEYS[1], 'ends', string.format('%.17g', now + tonumber(ARGV[2])),
  'probeAt', string.format('%.17g', now + tonumber(ARGV[3])))
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1
