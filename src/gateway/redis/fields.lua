-- Fields of a hash. What another program has put there of another type is deleted.
local function fields(key, ...)
  local found = redis.pcall('HMGET', key, ...)
  if not found.err then return found end
  if not string.find(found.err, '^WRONGTYPE') then return redis.call('HMGET', key, ...) end
  redis.call('UNLINK', key)
  return {}
end
