/** The options of a swap form, as a schema. Source: §4.10 (no contract) */
import { type Static, Type } from 'typebox'
import { LEVELS } from '../../runtime/levels.ts'
import { boolean, integer, nullable, string } from '../../runtime/resources/shared.ts'
import { TokenRisks } from '../../runtime/resources/token-profile.ts'
import { PREFERENCES } from '../../swap/cross-chain.ts'
import texts from '../texts.json' with { type: 'json' }

const { swapOptions: text } = texts

/** The states of /api/health, best first. */
export const PROVIDER_STATES = ['ok', 'degraded', 'untried', 'cooling', 'refused'] as const
export type ProviderState = (typeof PROVIDER_STATES)[number]

const ProviderState = (description: string) => Type.Enum([...PROVIDER_STATES], { description })
const Level = (description: string) => Type.Enum([...LEVELS], { description })
const Why = string('for people')

const Provider = Type.Object({
  label: Type.String(),
  state: ProviderState(text.providerState),
  freshMs: integer('how long /api/build accepts its quote without asking again, ms'),
  verification: Level('the level that its builds reach'),
})

const Major = Type.Object({
  address: Type.String(),
  symbol: Type.String(),
  name: Type.String(),
  decimals: Type.Integer(),
  kind: Type.Enum(['native', 'wrapped', 'stablecoin']),
})

const Chain = Type.Object({
  key: string('chain key'),
  name: Type.String(),
  chainId: nullable(Type.Integer()),
  native: string('symbol'),
  decimals: integer('of the native coin'),
  reserve: nullable(Type.String(), { description: text.reserve }),
  swaps: boolean('whether a provider that builds is configured'),
  state: nullable(ProviderState('of the best provider that builds')),
  verification: nullable(Level('the highest level that builds reach here')),
  providers: Type.Array(Provider, { description: 'in order of preference' }),
  majors: Type.Array(Major, { description: 'the native coin first' }),
})

export const SwapOptions = Type.Object({
  sides: Type.Array(Type.String(), { description: '`buy` spends the native coin, `sell` the token' }),
  against: Type.Object(
    {
      default: Type.String(),
      why: Why,
      risks: Type.Optional(Type.Array(TokenRisks, { description: text.risks })),
    },
    { description: 'the token on the other side' },
  ),
  slippageBps: Type.Object({
    min: Type.Integer(),
    max: Type.Integer(),
    default: Type.Integer(),
    presets: Type.Array(Type.Integer()),
    why: Why,
  }),
  amounts: Type.Object({
    shareBps: Type.Object({ presets: Type.Array(Type.Integer()), why: Why }),
    usd: Type.Object({ presets: Type.Array(Type.Integer()), why: Why }),
  }),
  minVerification: Level('the level that this host requires; a build with a lower one is refused'),
  chains: Type.Array(Chain),
  crossChain: nullable(
    Type.Object({
      provider: Type.String(),
      state: ProviderState('as in /api/health'),
      from: Type.Array(Type.String(), { description: 'chain keys' }),
      to: Type.Array(Type.String(), { description: text.to }),
      orders: Type.Array(Type.Enum([...PREFERENCES]), { description: text.orders }),
    }),
    { description: 'null if the cross-chain provider is switched off' },
  ),
  fees: Type.Object({
    gatewayBps: integer('the fee of the gateway itself'),
    why: Why,
  }),
  asOf: integer('since when the states are these, ms epoch'),
})
export type SwapOptions = Static<typeof SwapOptions>
