/** Which accounts a simulation looks at, and what it sees in them, by a node that a test writes. */
import t from 'tap'
import { decodeBase58, encodeBase58 } from '../../../src/chains/solana/base58.ts'
import { LOOKUP_TABLE_PROGRAM, SYSTEM_PROGRAM, TOKEN_PROGRAM } from '../../../src/chains/solana/programs.ts'
import { simulateSolana } from '../../../src/proof/simulation/solana.ts'
import type { GatewayError } from '../../../src/runtime/errors.ts'
import { composeMessage, unsigned } from '../../../src/sandbox/solana/ledger/compose.ts'
import { keypair } from '../../fixtures/transactions.ts'

const named = (name: string): string => encodeBase58(keypair(name).publicKey)
const key = (address: string): Uint8Array => decodeBase58(address, 32)!
const [WALLET, ACCOUNT, MINT, DELEGATE, TABLE] = ['wallet', 'account', 'mint', 'delegate', 'table'].map(
  named,
) as [string, string, string, string, string]
const BLOCKHASH = named('blockhash')

const account = (data: Uint8Array, owner = TOKEN_PROGRAM) => ({
  lamports: 2_039_280,
  owner,
  data: [Buffer.from(data).toString('base64'), 'base64'],
})

/** A node that says this of accounts before and after, and what it was asked for. */
function nodeOf(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>> = before,
) {
  const asked: string[][] = []
  const ask = async (method: string, params: readonly unknown[]): Promise<string> => {
    const context = { slot: 7 }
    if (method === 'getMultipleAccounts') {
      const addresses = params[0] as string[]
      asked.push(addresses)
      return JSON.stringify({ context, value: addresses.map((address) => before[address] ?? null) })
    }
    const { addresses } = (params[1] as { accounts: { addresses: string[] } }).accounts
    t.same(addresses, asked.at(-1), 'the same before and after')
    const accounts = addresses.map((address) => after[address] ?? null)
    return JSON.stringify({ context, value: { err: null, accounts } })
  }
  return { asked, ask }
}

t.test('of a lookup table, each whole key that the transaction may write is looked at', async (t) => {
  const keys = ['a', 'b', 'c'].map(named) as [string, string, string]
  const message = Buffer.concat([
    Uint8Array.of(0x80, 1, 0, 1, 2),
    key(WALLET),
    key(TOKEN_PROGRAM),
    key(BLOCKHASH),
    Uint8Array.of(1, 1, 4, 2, 3, 4, 0, 0, 1),
    key(TABLE),
    Uint8Array.of(3, 2, 0, 1, 0),
  ])
  const base64 = unsigned(message).toString('base64')
  const whole = Buffer.concat([Buffer.alloc(56), ...keys.map(key)])
  for (const data of [whole, Buffer.concat([whole, whole])]) {
    const { asked, ask } = nodeOf({ [TABLE]: account(data, LOOKUP_TABLE_PROGRAM) })
    t.ok(await simulateSolana(base64, WALLET, ask), 'in the order of the transaction')
    t.same(asked, [[TABLE], [WALLET, keys[2], keys[0], keys[1]]])
  }
  const lacking: readonly (readonly [string, object])[] = [
    ['a byte less', account(whole.subarray(0, -1), LOOKUP_TABLE_PROGRAM)],
    ['a key less', account(whole.subarray(0, -32), LOOKUP_TABLE_PROGRAM)],
    ['none', account(whole.subarray(0, 56), LOOKUP_TABLE_PROGRAM)],
    ['not a table', account(whole)],
  ]
  for (const [what, table] of lacking) {
    const { asked, ask } = nodeOf({ [TABLE]: table })
    const refusal = { code: 'material_refused', fields: { rule: 'lookup_table' } }
    await t.rejects(simulateSolana(base64, WALLET, ask), refusal, what)
    t.same(asked, [[TABLE]], what)
  }
})

t.test('another delegate is another in any byte, and so is another who may close', async (t) => {
  const base64 = unsigned(
    composeMessage(
      WALLET,
      [
        {
          program: TOKEN_PROGRAM,
          accounts: [{ address: ACCOUNT, isSigner: false, isWritable: true }],
          data: Uint8Array.of(17),
        },
      ],
      BLOCKHASH,
    ),
  ).toString('base64')
  const held = Buffer.alloc(165)
  held.set(key(MINT), 0)
  held.set(key(WALLET), 32)
  held.writeBigUInt64LE(500n, 64)
  held[108] = 1
  held.writeBigUInt64LE(10n, 121)
  for (const tagAt of [72, 129]) {
    held.writeUInt32LE(1, tagAt)
    held.set(key(DELEGATE), tagAt + 4)
  }
  const ruleOf = async (at: number): Promise<string | undefined> => {
    const now = Buffer.from(held)
    now[at]! ^= 1
    const { ask } = nodeOf({ [ACCOUNT]: account(held) }, { [ACCOUNT]: account(now) })
    return simulateSolana(base64, WALLET, ask).then(
      () => 'accepted',
      (error: GatewayError) => error.fields.rule,
    )
  }
  for (const tagAt of [72, 129]) {
    for (const at of [4, 5, 20, 35]) t.equal(await ruleOf(tagAt + at), 'permission', `byte ${tagAt + at}`)
    t.equal(await ruleOf(tagAt), 'accepted', 'nobody has it now')
  }
  t.equal(await ruleOf(108), 'accepted', 'what stands behind a key is not part of it')
  t.equal(await ruleOf(121), 'permission', 'eleven in the place of ten')
})

t.test(
  "of accounts that are not the wallet's nothing is asked for afterwards, however long they are",
  async (t) => {
    const names = ['own', 'empty', 'new', 'market', 'other', 'mint account']
    const [own, empty, fresh, market, other, mint] = names.map(named) as [
      ...[string, string, string, string, string, string],
    ]
    const holdingOf = (owner: string): Uint8Array => {
      const held = Buffer.alloc(165)
      held.set(key(MINT), 0)
      held.set(key(owner), 32)
      held[108] = 1
      return held
    }
    const before: Readonly<Record<string, unknown>> = {
      [WALLET]: account(new Uint8Array(), SYSTEM_PROGRAM),
      [own]: account(holdingOf(WALLET)),
      [empty]: account(new Uint8Array(), SYSTEM_PROGRAM),
      // As much as the slice of an account of megabytes.
      [market]: account(Buffer.alloc(165, 7), named('program')),
      [other]: account(holdingOf(DELEGATE)),
      [mint]: account(new Uint8Array(82)),
    }
    const accounts = [own, empty, fresh, market, other, mint].map((address) => ({
      address,
      isSigner: false,
      isWritable: true,
    }))
    const call = { program: TOKEN_PROGRAM, accounts, data: Uint8Array.of(9) }
    const base64 = unsigned(composeMessage(WALLET, [call], BLOCKHASH)).toString('base64')
    const params: Record<string, { accounts?: { addresses: string[] }; dataSlice?: object }> = {}
    const ask = async (method: string, [subject, options]: readonly unknown[]): Promise<string> => {
      params[method] = options as (typeof params)[string]
      const addresses = method === 'getMultipleAccounts' ? subject : params[method]!.accounts!.addresses
      const found = (addresses as string[]).map((address) => before[address] ?? null)
      const value = method === 'getMultipleAccounts' ? found : { err: null, accounts: found, fee: 5_000 }
      return JSON.stringify({ context: { slot: 7 }, value })
    }
    t.match(await simulateSolana(base64, WALLET, ask), { at: 7, gas: 5_000n })
    t.same(params.getMultipleAccounts!.dataSlice, { offset: 0, length: 165 })
    t.same(params.simulateTransaction!.accounts!.addresses, [WALLET, own, empty, fresh])
  },
)
