/**
 * What three signers make of values that are not of their type: where they sign, the reading of typed data is theirs, or
 * none. The versions are in test/long/packages/signers.
 */
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { hashTypedData } from 'viem'
import { TypedData } from '../../../src/explain/evm/typed-data.ts'
import { IS_PART } from '../../fixtures/fast-check.ts'
import { TYPES, VALUES } from '../../fixtures/typed-values.ts'
import { installed } from '../clients/world.ts'

/** Each value, or each fourth of those that are not read if a part is enough. */
const STEP = IS_PART ? 4 : 1

type Data = ReturnType<typeof dataOf>
type Signer = (data: Data) => string

const struct = (name: string, type: string) => ({ name, type })
const DOMAIN = [
  struct('name', 'string'),
  struct('chainId', 'uint256'),
  struct('verifyingContract', 'address'),
]

const dataOf = (type: string, value: unknown) => ({
  types: {
    EIP712Domain: DOMAIN,
    P: [struct('before', 'uint256'), struct('a', type)],
    ...(type.startsWith('T') && { T: [struct('a', 'uint8')] }),
  } as Record<string, { name: string; type: string }[]>,
  primaryType: 'P',
  domain: { name: 'x', chainId: 1, verifyingContract: '0x6B175474E89094C44Da98b954EedeAC495271d0F' },
  message: { before: 1, a: value } as Record<string, unknown>,
})

async function signersOf(): Promise<Readonly<Record<string, Signer>>> {
  const require = createRequire(pathToFileURL(join(installed('signers'), 'index.js')))
  const { TypedDataEncoder } = require('ethers')
  const ofMetaMask = (name: string): Signer => {
    const { TypedDataUtils } = require(name)
    return (data) => `0x${Buffer.from(TypedDataUtils.eip712Hash(data, 'V4')).toString('hex')}`
  }
  return {
    'eth-sig-util 8': ofMetaMask('@metamask/eth-sig-util'),
    'eth-sig-util 9': ofMetaMask('eth-sig-util-9'),
    ethers({ types: { EIP712Domain, ...types }, domain, message }) {
      return TypedDataEncoder.hash(domain, types, message)
    },
    viem: (data) => hashTypedData(data as never),
  }
}

function orNull<T>(make: () => T): T | null {
  try {
    return make()
  } catch {
    return null
  }
}

/** What is read, as viem takes it. */
const forViem = (value: unknown): unknown => {
  if (value instanceof Uint8Array) return `0x${Buffer.from(value).toString('hex')}`
  if (Array.isArray(value)) return value.map(forViem)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, forViem(one)]))
}

t.test('where signers sign, the value that is read is the one that they sign', async (t) => {
  const signers = await signersOf()
  const counts = { tried: 0, read: 0, signed: 0, disagreed: 0 }
  const byType = new Map<string, number>()
  for (const type of TYPES) {
    for (const [i, value] of VALUES.entries()) {
      const data = dataOf(type, value)
      const read = orNull(() => new TypedData(data).values())
      if (read === null && i % STEP > 0) continue
      const digests = Object.entries(signers).map(([name, sign]) => [name, orNull(() => sign(data))] as const)
      const signed = digests.filter(([, digest]) => digest !== null)
      counts.tried++
      if (signed.length > 0) counts.signed++
      if (new Set(signed.map(([, digest]) => digest)).size > 1) counts.disagreed++
      if (read === null) continue
      counts.read++
      byType.set(type, (byType.get(type) ?? 0) + 1)
      const ours = orNull(() => hashTypedData({ ...data, message: forViem(read) } as never))
      for (const [name, digest] of signed)
        if (digest !== ours) t.fail(`${type} ${JSON.stringify(value)}: ${name} signs another value`)
    }
  }
  t.comment(JSON.stringify(counts))
  t.ok(VALUES.length >= 200 && counts.disagreed > 100 / STEP && counts.signed > counts.read)
  for (const type of [
    'bool',
    'string',
    'address',
    'bytes',
    'bytes32',
    'uint8',
    'int256',
    'uint256[2]',
    'T[]',
  ])
    t.ok(byType.get(type)! > 0, `${type} is read where it is one`)
})
