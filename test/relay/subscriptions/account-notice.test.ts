import t from 'tap'
import { encodeBase58 } from '../../../src/chains/solana/base58.ts'
import type { AccountSubscribeOptions } from '../../../src/relay/methods/params.ts'
import type { AccountState } from '../../../src/relay/reads/accounts.ts'
import { AccountNotice, isOutOfReach } from '../../../src/relay/subscriptions/account-notice.ts'

const OWNER = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'

const stateOf = (data: Uint8Array, isCut = false): AccountState => ({
  lamports: '18446744073709551615',
  owner: OWNER,
  executable: true,
  rentEpoch: '18446744073709551614',
  space: null,
  data: Buffer.from(data),
  isCut,
})

const dataIn = (options: AccountSubscribeOptions | undefined, state: AccountState): unknown =>
  JSON.parse(new AccountNotice(3, options).textOf(9, state)).params.result.value.data

t.test('numbers keep their digits', async (t) => {
  const text = new AccountNotice(3, { encoding: 'base64' }).textOf(9, {
    ...stateOf(Uint8Array.of(1, 2)),
    space: '2',
  })
  t.equal(
    text,
    `{"jsonrpc":"2.0","method":"accountNotification","params":{"result":{"context":{"slot":9},"value":{"data":["AQI=","base64"],"executable":true,"lamports":18446744073709551615,"owner":"${OWNER}","rentEpoch":18446744073709551614,"space":2}},"subscription":3}}`,
  )
})

t.test(
  'data has the form that was asked for, and where it cannot have it, says so as a node does',
  async (t) => {
    const bytes = Uint8Array.from({ length: 200 }, (_, i) => i)
    const short = encodeBase58(bytes.subarray(0, 128))
    const tooLong = 'error: data too large for bs58 encoding'
    const slice = (offset: number, length: number) => ({ dataSlice: { offset, length } })
    t.equal(dataIn(undefined, stateOf(bytes.subarray(0, 128))), short)
    t.equal(dataIn(undefined, stateOf(bytes.subarray(0, 129))), tooLong)
    t.equal(dataIn({ encoding: 'binary', ...slice(0, 128) }, stateOf(bytes)), short)
    t.same(dataIn({ encoding: 'base58', ...slice(0, 128) }, stateOf(bytes)), [short, 'base58'])
    t.same(dataIn({ encoding: 'base58' }, stateOf(bytes)), [tooLong, 'base58'])
    t.same(dataIn({ encoding: 'base64', ...slice(40, 32) }, stateOf(bytes)), [
      Buffer.from(bytes.subarray(40, 72)).toString('base64'),
      'base64',
    ])
    t.same(dataIn({ encoding: 'base64', ...slice(190, 100) }, stateOf(bytes)), [
      Buffer.from(bytes.subarray(190)).toString('base64'),
      'base64',
    ])
    t.same(dataIn({ encoding: 'base64', ...slice(500, 1) }, stateOf(bytes)), ['', 'base64'])
  },
)

t.test('an account that has grown beyond what is read shows slices only', async (t) => {
  const state = stateOf(new Uint8Array(10_240), true)
  t.same(dataIn({ encoding: 'base64' }, state), ['error: data too large', 'base64'])
  t.same(dataIn({ encoding: 'base64', dataSlice: { offset: 0, length: 3 } }, state), ['AAAA', 'base64'])
  t.equal(isOutOfReach({ dataSlice: { offset: 10_239, length: 1 } }), false)
  t.equal(isOutOfReach({ dataSlice: { offset: 10_240, length: 1 } }), true)
  t.equal(isOutOfReach(null), true)
})
