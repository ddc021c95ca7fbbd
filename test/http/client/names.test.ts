import t from 'tap'
import { addressOf } from '../../../src/http/client/client.ts'
import { createClientNames } from '../../../src/http/client/names.ts'

t.test('an address is read back from its key', async (t) => {
  const cases: [key: string, address: string][] = [
    ['0:0', '0.0.0.0'],
    ['0:-1', '255.255.255.255'],
    ['0:2130706433', '127.0.0.1'],
    ['536939960:1', '2001:db8:0:1::/64'],
    ['-1:-1', 'unknown'],
    ['-1:0', 'ffff:ffff:0:0::/64'],
  ]
  for (const [key, address] of cases) t.equal(addressOf(key), address)
})

t.test('a hash is the same under one key, and another under another', async (t) => {
  const nameOf = createClientNames('hashed', 'a key')
  t.equal(nameOf('0:2130706433'), nameOf('0:2130706433'))
  t.equal(nameOf('0:2130706433'), createClientNames('hashed', 'a key')('0:2130706433'))
  t.not(nameOf('0:2130706433'), createClientNames('hashed')('0:2130706433'))
  t.notMatch(createClientNames('hashed')('0:1'), createClientNames('hashed')('0:1'))
})
