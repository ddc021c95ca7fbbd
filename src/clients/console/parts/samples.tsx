/** Transactions to try a view with: a transfer, a swap, and one whose second signature was altered. */
import { decodeKey, encodeBase58 } from '../../../chains/solana/base58.ts'
import { WireTransaction } from '../../../chains/solana/wire.ts'
import { decodeBase64, encodeBase64 } from '../../../runtime/base64.ts'
import { useHealth } from '../data/hooks.ts'
import samples from '../data/samples.json' with { type: 'json' }
import { client } from '../data/service.ts'
import { nodeRpc } from '../wallets/node-rpc.ts'
import { Button } from './controls.tsx'

const MAX_BYTES = 1_232
const FUNDS_LAMPORTS = 2_000_000_000
/** The key that signs the samples is no secret: it is this byte, 32 times. PKCS #8 of Ed25519: RFC 8410. */
const SEED_BYTE = 91
const PKCS8 = [0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20]

export function Samples({ choose }: { readonly choose: (transaction: string) => void }) {
  const sandbox = useHealth().data?.sandbox
  const pick = async (transaction: string, isBroken: boolean): Promise<void> => {
    if (sandbox === undefined || isBroken) return choose(transaction)
    choose(await ready(transaction, sandbox.solanaRpc).catch(() => transaction))
  }
  return (
    <p class="samples chips row">
      {'Try '}
      {samples.map(({ title, transaction }, i) => (
        <Button key={title} class="filter" onClick={() => pick(transaction, i === samples.length - 1)}>
          {title}
        </Button>
      ))}
    </p>
  )
}

/** With a blockhash of now, signed again, by a wallet that has funds: in the sandbox it executes. */
async function ready(transaction: string, nodeUrl: string): Promise<string> {
  const bytes = decodeBase64(transaction)!
  const wire = new WireTransaction()
  wire.parse(bytes, MAX_BYTES)
  const latest = await client.rpc<{ value: { blockhash: string } }>('getLatestBlockhash', [])
  await nodeRpc(nodeUrl, 'requestAirdrop', [encodeBase58(wire.key(0)), FUNDS_LAMPORTS])
  wire.blockhash().set(decodeKey(latest.value.blockhash))
  const seed = Uint8Array.from([...PKCS8, ...Array<number>(32).fill(SEED_BYTE)])
  const key = await crypto.subtle.importKey('pkcs8', seed, 'Ed25519', false, ['sign'])
  wire
    .signature(0)
    .set(new Uint8Array(await crypto.subtle.sign('Ed25519', key, Uint8Array.from(wire.message()))))
  return encodeBase64(bytes)
}
