/**
 * What was read for a portfolio, as instances tell it to each other. Which of
 * it the list holds back, and what is dust, each decides for itself.
 */
import { type Static, Type } from 'typebox'
import type { ChainDefinition } from '../../chains/definition.ts'
import { findChain } from '../../chains/find.ts'
import type { Holding, Holdings } from '../../providers/holdings/holdings.ts'
import type { Clock } from '../../runtime/clock.ts'
import { GatewayError } from '../../runtime/errors.ts'
import { nullable } from '../../runtime/resources.ts'
import { compile } from '../../runtime/validate.ts'
import { type Codec, decodeError, EncodedError, encodeError } from '../../upstream/shared-answers.ts'
import type { ReadPortfolio } from './portfolio.ts'
import type { PriceFailure, Valuations } from './prices.ts'
import type { Reading } from './wallets.ts'

const Units = Type.String({ pattern: '^\\d{1,80}$' })
const ToldHolding = Type.Object({
  address: Type.String(),
  isNative: Type.Boolean(),
  amount: Units,
  decimals: nullable(Type.Integer()),
  symbol: nullable(Type.String()),
  name: nullable(Type.String()),
  wrapped: nullable(Units),
  notes: Type.Array(Type.Enum(['frozen', 'scaled'])),
})
const ToldHoldings = Type.Object({
  at: Type.Object({ block: nullable(Type.Integer()), slot: nullable(Type.Integer()) }),
  holdings: Type.Array(ToldHolding),
  isBehind: Type.Boolean(),
  missing: Type.Integer({ minimum: 0 }),
  isCoinMissing: Type.Boolean(),
})
const ToldPrice = Type.Object({
  address: Type.String(),
  price: Type.Number({ minimum: 0 }),
  priceTs: Type.Number(),
  liq: nullable(Type.Number({ minimum: 0 })),
})
const ToldName = Type.Object({
  address: Type.String(),
  symbol: nullable(Type.String()),
  name: nullable(Type.String()),
})
const ToldValuations = Type.Object({
  chain: Type.String(),
  prices: Type.Array(ToldPrice),
  names: Type.Array(ToldName),
  failures: Type.Array(Type.Object({ provider: Type.String(), error: EncodedError })),
  unasked: Type.Integer({ minimum: 0 }),
})
const ToldPortfolio = Type.Object({
  readings: Type.Array(
    Type.Object({
      chain: Type.String(),
      at: Type.Number(),
      held: nullable(ToldHoldings),
      failure: nullable(EncodedError),
    }),
  ),
  valuations: Type.Array(ToldValuations),
  at: Type.Number(),
})
type ToldHoldings = Static<typeof ToldHoldings>
type ToldValuations = Static<typeof ToldValuations>

export function portfolioCodec(clock: Clock): Codec<ReadPortfolio> {
  const told = compile(ToldPortfolio)
  return {
    write: ({ readings, valuations, at }) =>
      JSON.stringify({
        readings: readings.map(({ chain, held, at }) => ({
          chain: chain.key,
          at,
          held: held instanceof GatewayError ? null : tellHoldings(held),
          failure: held instanceof GatewayError ? encodeError(held) : null,
        })),
        valuations: [...valuations].map(tellValuations),
        at,
      }),
    read(text, { leftMs, skewMs }) {
      const value: unknown = JSON.parse(text)
      if (!told.Check(value)) return null
      const readings: Reading[] = []
      for (const { chain: key, at, held, failure } of value.readings) {
        const chain = findChain(key)
        const outcome = held === null ? failure && decodeError(failure) : holdingsOf(chain, held)
        if (chain === null || outcome === null) return null
        readings.push({ chain, held: outcome, at: at + skewMs })
      }
      const valuations = value.valuations.map((told) => [told.chain, valuationsOf(told, skewMs)] as const)
      // Each chain that was read has its valuations: what shows it asks for no more.
      const isWhole = readings.every(
        ({ chain, held }) => held instanceof GatewayError || valuations.some(([key]) => key === chain.key),
      )
      if (!isWhole) return null
      return {
        readings,
        valuations: new Map(valuations),
        at: value.at + skewMs,
        keptUntil: clock.now() + leftMs,
      }
    },
  }
}

const tellHoldings = ({ at, holdings, missing, isBehind, isCoinMissing }: Holdings): ToldHoldings => ({
  at,
  holdings: holdings.map(({ token, amount, decimals, symbol, name, wrapped, notes }) => ({
    address: token.address,
    isNative: token.isNative,
    amount: String(amount),
    decimals,
    symbol,
    name,
    wrapped: wrapped === null ? null : String(wrapped),
    notes: [...notes],
  })),
  isBehind: isBehind === true,
  missing,
  isCoinMissing: isCoinMissing === true,
})

function holdingsOf(chain: ChainDefinition | null, { holdings, ...rest }: ToldHoldings): Holdings | null {
  if (chain === null) return null
  return {
    ...rest,
    holdings: holdings.map(
      ({ address, isNative, amount, wrapped, ...told }): Holding => ({
        ...told,
        token: { chain: chain.key, address, isNative },
        amount: BigInt(amount),
        wrapped: wrapped === null ? null : BigInt(wrapped),
      }),
    ),
  }
}

function tellValuations([chain, valuations]: readonly [string, Valuations]): ToldValuations {
  const { prices, names, failures, unasked } = valuations
  return {
    chain,
    prices: [...prices].map(([address, { price, priceTs, liq }]) => ({ address, price, priceTs, liq })),
    names: [...names].map(([address, { symbol, name }]) => ({ address, symbol, name })),
    failures: failures.map(({ provider, error }) => ({ provider, error: encodeError(error) })),
    unasked,
  }
}

function valuationsOf(
  { chain, prices, names, failures, unasked }: ToldValuations,
  skewMs: number,
): Valuations {
  return {
    prices: new Map(
      prices.map(({ address, priceTs, ...told }) => [address, { ...told, priceTs: priceTs + skewMs }]),
    ),
    names: new Map(names.map(({ address, ...told }) => [address, { chain, address, ...told }])),
    failures: failures.flatMap(({ provider, error: told }): PriceFailure[] => {
      const error = decodeError(told)
      return error === null ? [] : [{ provider, error }]
    }),
    unasked,
  }
}
