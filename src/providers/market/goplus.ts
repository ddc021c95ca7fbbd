/**
 * GoPlus's token security: what a contract allows its owner to do, who holds
 * the token and the shares of its pools. One call answers all parts, for one
 * token at a time.
 *
 * Errors come with status 200 and a `code` of their own: 1 is complete, 2 is
 * partial, 4029 is its rate limit.
 *
 * Source: §4.2 · docs.gopluslabs.io · GoPlusSecurity/goplus-sdk-node
 */

import { Type } from 'typebox'
import { nativeAddress } from '../../chains/address.ts'
import { findChain, namesAt } from '../../chains/find.ts'
import { CLOCK, type Clock } from '../../clock.ts'
import { GatewayError } from '../../errors.ts'
import { LIMITED, RequestFailed } from '../../upstream/call.ts'
import { answerReader } from '../answer.ts'
import type { CallOptions } from '../provider.ts'
import { AnyObject, type Fields } from './fields.ts'
import { type Asking, get } from './get.ts'
import { type Report, readReport } from './goplus-report.ts'
import type { MarketProvider, Part, PartSource, Parts, TokenId } from './market.ts'
import { SharedCalls } from './shared-calls.ts'

const LABEL = 'goplus'
/** GoPlus's names of our chains: ids of EVM chains, names of the others. */
const NAMES = namesAt('goplus')
/** What it finds changes with the contract, not with the market. */
const KEEP_MS = 10 * 60_000
/** The parts of one profile are asked for within moments of each other. */
const SHARED_MS = 5 * 60_000

const COMPLETE = 1
const PARTIAL = 2
const RATE_LIMITED = 4_029
const SYSTEM_ERROR = 5_000

const readAnswer = answerReader(
  Type.Object({
    code: Type.Integer(),
    result: Type.Optional(Type.Union([Type.Null(), Type.Record(Type.String(), AnyObject)])),
  }),
)

/** What it has on each token, by its address. */
type Tokens = Readonly<Record<string, Fields>>

/** What GoPlus said, and when it was asked, ms epoch. */
interface Asked {
  readonly at: number
  /** Null where it has nothing on the token. */
  readonly report: Report | null
}

export interface GoplusOptions {
  readonly upstream: Asking
  readonly clock?: Clock
}

export function goplus({ upstream, clock = CLOCK }: GoplusOptions): MarketProvider {
  const calls = new SharedCalls<Asked>(SHARED_MS, clock)

  const ask = (token: TokenId, options: CallOptions): Promise<Asked> =>
    calls.ask(`${token.chain} ${token.address}`, options, async (shared) => {
      const at = clock.date()
      return { at, report: await fetchReport(upstream, token, shared) }
    })

  const part = <P extends Part>(
    pick: (report: Report, at: number, token: TokenId) => Parts[P],
  ): PartSource<P> => ({
    keepMs: KEEP_MS,
    async ask(token, options) {
      const { at, report } = await ask(token, options)
      return report === null ? null : pick(report, at, token)
    },
  })

  return {
    label: LABEL,
    chains: new Set(NAMES.keys()),
    parts: {
      security: part<'security'>(({ facts, flags }, at) => ({ at, facts, flags })),
      holders: part<'holders'>(({ holders }) => holders),
      early: part<'early'>(({ creators }) => creators),
      lp: part<'lp'>(({ lp }) => lp),
      row: part<'row'>(({ row }, at, { chain, address }) => ({
        chain,
        address,
        ...row,
        price: null,
        priceTs: at,
        mcap: null,
        liq: null,
        vol24: null,
      })),
    },
  }
}

async function fetchReport(
  upstream: Asking,
  { chain: key, address }: TokenId,
  options: CallOptions,
): Promise<Report | null> {
  const chain = findChain(key)!
  // A native coin has no contract to look at.
  if (chain.family === 'evm' && address === nativeAddress(chain)) return null
  // GoPlus answers with EVM addresses in lower case, whatever they were asked in.
  const spelled = chain.family === 'evm' ? address.toLowerCase() : address
  const name = NAMES.get(key)!
  const api = chain.family === 'evm' ? `token_security/${name}` : `${name}/token_security`
  const path = `/api/v1/${api}?${new URLSearchParams({ contract_addresses: spelled })}`
  const result = await upstream.ask(get(path, readResult), options)
  const token = result[spelled] ?? result[address.toLowerCase()]
  return token === undefined || Object.keys(token).length === 0 ? null : readReport(chain, token)
}

/** @returns null for what is no answer */
function readResult(body: Buffer): Tokens | typeof LIMITED | null {
  const answer = readAnswer(body)
  if (answer === null) return null
  const { code, result } = answer.value
  if (code === COMPLETE || code === PARTIAL) return result ?? {}
  if (code === RATE_LIMITED) return LIMITED
  const message = 'GoPlus could not look at this token. Try again later.'
  const error = new GatewayError('upstream_failed', message, { provider: LABEL, scope: 'provider' })
  // Every other code is about the request, whose token a caller chose.
  throw code === SYSTEM_ERROR ? error : new RequestFailed(error)
}
