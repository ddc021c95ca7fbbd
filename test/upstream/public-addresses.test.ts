import type { LookupAddress, LookupOptions } from 'node:dns'
import t from 'tap'
import { isPublic, NotPublic, publicLookup } from '../../src/upstream/public-addresses.ts'

/** The first and the last address of each network that is none of the public internet, and others within. */
const PRIVATE = [
  '0.0.0.0',
  '0.255.255.255',
  '10.0.0.0',
  '10.255.255.255',
  '100.64.0.0',
  '100.127.255.255',
  '127.0.0.1',
  '127.255.255.255',
  '169.254.0.0',
  '169.254.169.254',
  '172.16.0.0',
  '172.31.255.255',
  '192.0.0.0',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.0.0',
  '192.168.255.255',
  '198.18.0.0',
  '198.19.255.255',
  '198.51.100.7',
  '203.0.113.7',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:127.0.0.1',
  '::ffff:8.8.8.8',
  '64:ff9b::7f00:1',
  '100::1',
  '1fff:ffff::1',
  '2001::1',
  '2001:1ff:ffff::1',
  '2001:db8::1',
  '2002:7f00:1::1',
  '3fff::1',
  '4000::1',
  'fc00::1',
  'fd00:ec2::254',
  'fe80::1',
  'fec0::1',
  'ff02::1',
]
const PUBLIC = [
  '1.1.1.1',
  '8.8.8.8',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.0',
  '169.253.255.255',
  '169.255.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '191.255.255.255',
  '192.167.255.255',
  '192.169.0.0',
  '198.17.255.255',
  '198.20.0.0',
  '223.255.255.255',
  '2001:200::1',
  '2001:4860:4860::8888',
  '2606:4700:4700::1111',
  '2a00:1450:4001::1',
]

t.test('each special network is none of the public internet, and its neighbours are', async (t) => {
  for (const address of PRIVATE) t.notOk(isPublic(address), address)
  for (const address of PUBLIC) t.ok(isPublic(address), address)
})

/** What `net.connect` is told of a name with these addresses. */
function lookUp(
  addresses: readonly string[] | Error,
  options: LookupOptions,
): Promise<{ error: Error | null; given: string | LookupAddress[]; family?: number }> {
  const resolve = async (): Promise<readonly string[]> => {
    if (addresses instanceof Error) throw addresses
    return addresses
  }
  return new Promise((settle) => {
    publicLookup(resolve)('logos.example', options, (error, given, family) =>
      settle({ error, given, ...(family !== undefined && { family }) }),
    )
  })
}

t.test('a name with one address that is not public is refused, wherever that stands', async (t) => {
  for (const addresses of [
    ['127.0.0.1'],
    ['1.1.1.1', '10.0.0.1'],
    ['::1', '1.1.1.1'],
    ['1.1.1.1', 'fd00::1'],
  ]) {
    for (const all of [true, false]) {
      const { error } = await lookUp(addresses, { all })
      t.ok(error instanceof NotPublic, String(addresses))
    }
  }
})

t.test('the addresses that were looked at are those that are connected to', async (t) => {
  const addresses = ['1.1.1.1', '2606:4700::1111']
  t.same(await lookUp(addresses, { all: true }), {
    error: null,
    given: [
      { address: '1.1.1.1', family: 4 },
      { address: '2606:4700::1111', family: 6 },
    ],
  })
  t.same(await lookUp(addresses, {}), { error: null, given: '1.1.1.1', family: 4 })
  const many = Array.from({ length: 30 }, (_, i) => `1.1.1.${i}`)
  t.equal((await lookUp(many, { all: true })).given.length, 8, 'no more are tried')
  const failure = new Error('no such name')
  t.equal((await lookUp(failure, {})).error, failure)
})
