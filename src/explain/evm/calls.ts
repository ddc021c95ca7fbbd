/**
 * The calls of contracts that are read here, by selector. A call whose arguments aren't encoded in the
 * standard form is unknown: contracts may read it differently.
 *
 * Source: EIP-20, 721, 777, 1155, 2612, 4494, 6909 · Uniswap/permit2 · OpenZeppelin contracts ·
 * mds1/multicall3 · safe-global/safe-smart-account · Uniswap v3-periphery · the protocols' own contracts
 */
import { hexToBytes } from '@noble/hashes/utils.js'
import type { EvmChain } from '../../chains/definition.ts'
import { CalldataReader, readerOf } from '../../proof/evm/calldata.ts'
import { SELECTOR_CHARACTERS, selectorOf } from '../../proof/evm/selector.ts'
import { pays } from '../ledger.ts'
import { ACCOUNT_ROWS } from './accounts.ts'
import { Args, type DecodedCall, type InnerReader } from './args.ts'
import { canonical, type EvmContext } from './context.ts'
import { acts, type KnownFunction } from './rows.ts'
import { SWAP_ROUTERS, SWAP_ROWS } from './swaps.ts'
import { TOKEN_ROWS, wraps } from './tokens.ts'

/** Batches within batches, and calls in all of them. */
const MAX_DEPTH = 8
const MAX_CALLS = 128

/** Each known function by its selector. */
export const FUNCTIONS: ReadonlyMap<string, KnownFunction> = new Map(
  [...TOKEN_ROWS, ...ACCOUNT_ROWS, ...SWAP_ROWS].map(([signature, reads, more]) => [
    selectorOf(signature)!,
    { signature: `function ${signature}`, name: signature.slice(0, signature.indexOf('(')), reads, ...more },
  ]),
)

type Reader = CalldataReader<Record<string, unknown>>

/** @returns null if the data is not the standard encoding of the function's arguments */
export function argumentsOf(signature: string, data: string): Args | null {
  // A function without arguments was found by its selector.
  if (signature.endsWith('()')) return data.length === SELECTOR_CHARACTERS ? new Args({}) : null
  return readBy(readerOf(signature), signature, data)
}

function readBy(reader: Reader, signature: string, data: string): Args | null {
  const read = reader.read(data)
  if (read === null) return null
  const names = parametersOf(signature)
  return new Args(names.length === 1 ? { [names[0]!]: read.args } : (read.args as Record<string, unknown>))
}

/**
 * @returns the name of the function in the request's own ABI, and the call's arguments; null if they do not
 * fit
 */
function broughtArgumentsOf(signature: string | undefined, data: string) {
  if (signature === undefined) return null
  const text = signature.startsWith('function ') ? signature : `function ${signature}`
  try {
    const args = readBy(new CalldataReader([text]), text, data)
    return args && { name: /function +([\w$]+)/.exec(text)![1]!, args }
  } catch {
    return null
  }
}

/** The names of a function's own parameters, not of those in tuples. */
function parametersOf(signature: string): readonly string[] {
  let inner = signature.slice(signature.indexOf('(') + 1, signature.lastIndexOf(')'))
  for (let before = ''; before !== inner; ) {
    before = inner
    inner = inner.replace(/\([^()]*\)/g, '')
  }
  return inner.split(',').map((parameter) => parameter.trim().split(/\s+/).at(-1)!)
}

/** @param abi  functions that the request brings, in Solidity's notation */
export function callReader(context: EvmContext, abi: readonly string[]): InnerReader {
  const { found, chain } = context
  const brought = new Map<string, string>()
  for (const signature of abi) {
    const selector = selectorOf(signature)
    if (selector === null)
      found.leave('abi', `${JSON.stringify(signature.slice(0, 64))} is no function in Solidity's notation`)
    else brought.set(selector, signature)
  }
  let calls = 0
  const read: InnerReader = async (call) => {
    await context.turn?.()
    const { where, to, value, data, depth } = call
    if (++calls > MAX_CALLS || depth > MAX_DEPTH) {
      return found.leave(where, 'calls within calls are read to a depth of eight', hexToBytes(data.slice(2)))
    }
    if (data === '0x') {
      if (value > 0n && to === canonical(chain.wrappedNative)) return wraps({ ...context, call })
      return sends(call, `sends ${coins(value)} to ${found.nameOf(to)}`)
    }
    const route = await routeOf(to, data, chain)
    if (route !== null) return route({ ...context, args: new Args({}), call, read })
    const known = FUNCTIONS.get(data.slice(0, SELECTOR_CHARACTERS))
    const args = known === undefined ? null : argumentsOf(known.signature, data)
    if (known === undefined || args === null) return unknownCall(call, known !== undefined)
    const before = found.actions.length
    const isMeant = known.at?.(to, chain, found) ?? true
    await known.reads({ ...context, args, call, read, isMeant })
    if (found.actions.length === before)
      acts({ ...context, call }, 'call', `calls ${known.name} of ${found.nameOf(to)}`, [])
    if (!isMeant)
      found.leave(where, `${to} is no contract that is known to do that`, hexToBytes(data.slice(2)))
    if (value > 0n && known.isPayable !== true) alongside(call)
  }

  const coins = (value: bigint): string => found.says({ asset: 'native', amount: String(value) })
  const sends = (call: DecodedCall, words: string): void => {
    const { to, value, from } = call
    const more = { asset: 'native', amount: String(value), to }
    acts({ ...context, call }, 'transfer', words, [pays(from, 'native', value, to)], more)
  }
  /** Native coin that goes along with a call. */
  const alongside = (call: DecodedCall): void =>
    sends(call, `pays ${coins(call.value)} to ${found.nameOf(call.to)}`)

  const unknownCall = async (call: DecodedCall, isMalformed: boolean): Promise<void> => {
    const { where, from, to, value, data } = call
    const bytes = hexToBytes(data.slice(2))
    const known = broughtArgumentsOf(brought.get(data.slice(0, SELECTOR_CHARACTERS)), data)
    const name = known?.name ?? data.slice(0, SELECTOR_CHARACTERS)
    const words = (await context.describe?.ofCall(chain.chainId, { from, to, value, bytes })) ?? null
    const fields = words ?? known?.args.texts() ?? null
    acts({ ...context, call }, 'call', `calls ${name} of ${found.nameOf(to)}`, [], { fields })
    found.meets(to)
    if (isMalformed)
      found.risk('malformed', 'The arguments are not encoded as the standard has it.', 'warning')
    const why =
      known === null ? 'the function is not known here' : 'the ABI names the arguments, and not what is done'
    found.leave(where, isMalformed ? 'the arguments are not encoded as the standard has it' : why, bytes)
    if (value === 0n) return
    alongside(call)
    if (CLAIMS.has(data.slice(0, SELECTOR_CHARACTERS)))
      found.risk('claim_with_payment', `${value} wei are paid to claim something.`)
  }
  return read
}

/** What reads a call of a router that the proofs know. */
async function routeOf(to: string, data: string, chain: EvmChain): Promise<KnownFunction['reads'] | null> {
  for (const [routerOn, selectors, reads] of SWAP_ROUTERS) {
    const isCalled = canonical(routerOn(chain) ?? '') === to
    if (isCalled && (await selectors()).includes(data.slice(0, SELECTOR_CHARACTERS))) return reads
  }
  return null
}

/** What thieves name their functions. */
const NAMES = ['claim', 'Claim', 'claimRewards', 'SecurityUpdate', 'Connect', 'NetworkMerge']
const CLAIMS: ReadonlySet<string | null> = new Set(NAMES.map((name) => selectorOf(`${name}()`)))
