import t, { type Test } from 'tap'
import { encodeBase58 } from '../../../src/chains/solana/base58.ts'
import { createClient, mayBeSent, SwapgateError, signatureOf } from '../../../src/clients/client/index.ts'
import { NEVER_MS, pauseClock } from '../../fixtures/pauses.ts'
import { breaks, type Reply, says, scripted } from '../../fixtures/scripted.ts'
import { serialize, transfer } from '../../fixtures/transactions.ts'
import { serializeV1, transferV1 } from '../../fixtures/transactions-v1.ts'

const SIGNED = serialize(transfer())
const SIGNATURE = encodeBase58(SIGNED.subarray(1, 65))
const LAST = 150

/** What the gateway says of a submission, then of the height and of the status at each look. */
interface Course {
  readonly sent: Reply
  readonly looks: readonly (readonly [height: number, status: string])[]
}

/** A gateway on which it goes so; before each answer about a status, one is lost. */
async function gateway(t: Test, { sent, looks }: Course) {
  let look = 0
  let isLost = false
  const reply: Reply = (response, asked) => {
    if (asked.body.includes('sendTransaction')) return sent(response, asked)
    const [height, status] = looks[Math.min(look, looks.length - 1)]!
    if (asked.body.includes('getBlockHeight')) {
      look++
      return says(200, { jsonrpc: '2.0', id: 1, result: height })(response, asked)
    }
    isLost = !isLost
    return isLost ? breaks(response, asked) : says(200, { status, signature: SIGNATURE })(response, asked)
  }
  const { url, asked } = await scripted(t, reply)
  const clock = pauseClock()
  const client = createClient({ baseUrl: url, clock, timeoutMs: NEVER_MS })
  const submissions = () => asked.filter(({ body }) => body.includes('sendTransaction')).length
  return { client, submissions, asked }
}

const base64 = Buffer.from(SIGNED).toString('base64')
const accepted = says(200, { jsonrpc: '2.0', id: 1, result: SIGNATURE })
const nodeSays = (message: string) => says(200, { jsonrpc: '2.0', id: 1, error: { code: -32002, message } })
const UNAVAILABLE = says(502, { error: 'No.', scope: 'rpc', code: 'upstream_unavailable' })

t.test('whatever becomes of the answer, the outcome is what the chain says', async (t) => {
  const answers: Readonly<Record<string, Reply>> = {
    accepted,
    lost: breaks,
    'of a proxy': says(504, '<html>'),
    'an upstream whose answer was lost': UNAVAILABLE,
    'a node that has it already': nodeSays(
      'Transaction simulation failed: This transaction has already been processed',
    ),
  }
  const courses: readonly [Course['looks'], string][] = [
    [
      [
        [100, 'unknown'],
        [120, 'pending'],
        [140, 'confirmed'],
      ],
      'landed',
    ],
    [[[100, 'finalized']], 'landed'],
    [
      [
        [100, 'pending'],
        [120, 'failed'],
      ],
      'reverted',
    ],
    [
      [
        [100, 'unknown'],
        [LAST, 'unknown'],
        [LAST + 1, 'unknown'],
      ],
      'expired',
    ],
    // It landed between the look at its status and the one at the height.
    [
      [
        [LAST + 1, 'unknown'],
        [LAST + 2, 'confirmed'],
      ],
      'landed',
    ],
  ]
  for (const [name, sent] of Object.entries(answers)) {
    for (const [looks, outcome] of courses) {
      const { client, submissions } = await gateway(t, { sent, looks })
      const result = await client.submit(base64, { lastValidBlockHeight: LAST })
      t.match(result, { signature: SIGNATURE, outcome }, `${name}: ${outcome}`)
      t.equal(submissions(), 1, 'it is sent once')
    }
  }
})

t.test('a refusal is an error at once, as nothing was sent', async (t) => {
  for (const [sent, code] of [
    [says(400, { error: 'No.', scope: 'relay', code: 'signature_invalid' }), 'signature_invalid'],
    [says(429, { error: 'No.', scope: 'limit', code: 'budget_exhausted' }), 'budget_exhausted'],
    [nodeSays('Transaction simulation failed: custom program error: 0x1'), 'rpc_error'],
  ] as const) {
    const { client, asked } = await gateway(t, { sent, looks: [[1, 'unknown']] })
    await t.rejects(client.submit(base64, { lastValidBlockHeight: LAST, maxWaitMs: 0 }), { code })
    t.equal(asked.length, 1)
  }
  t.notOk(mayBeSent(new Error('of something else')))
  t.notOk(mayBeSent(new SwapgateError('upstream_rate_limited', 'No.', { body: { scope: 'limit' } })))
})

t.test(
  'a transaction of an EVM chain is waited for by its hash; one whose nonce is used was replaced',
  async (t) => {
    for (const [last, outcome] of [
      [{ status: 'confirmed' }, 'landed'],
      [{ status: 'failed' }, 'reverted'],
      [{ status: 'unknown', replaced: true }, 'replaced'],
    ] as const) {
      const statuses = [{ status: 'unknown', replaced: null }, { status: 'pending' }, last]
      const { url, asked } = await scripted(t, ...statuses.map((status) => says(200, status)))
      const client = createClient({ baseUrl: url, clock: pauseClock(), timeoutMs: NEVER_MS })
      const seen: string[] = []
      const onStatus = ({ status }: { status: string }): void => void seen.push(status)
      const ended = await client.waitForTransaction({ chain: 'base', hash: '0xab' }, { onStatus })
      t.match(ended, { outcome, status: last })
      t.same(seen, ['unknown', 'pending', last.status])
      t.ok(asked.every(({ target }) => target === '/api/transaction-status?chain=base&hash=0xab'))
    }
  },
)

t.test('a signal ends the wait', async (t) => {
  const { client } = await gateway(t, { sent: accepted, looks: [[1, 'unknown']] })
  const signal = AbortSignal.abort()
  await t.rejects(client.submit(base64, { lastValidBlockHeight: LAST, signal }), { code: 'aborted' })
})

t.test('the signature is read from the bytes, of every version', async (t) => {
  t.equal(signatureOf(base64), SIGNATURE)
  t.equal(signatureOf(SIGNED), SIGNATURE)
  const v1 = serializeV1(transferV1())
  t.equal(signatureOf(v1), encodeBase58(v1.subarray(-64)))
  t.equal(signatureOf(new Uint8Array(100)), '1'.repeat(64))
})
