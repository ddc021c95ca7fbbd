/**
 * The readings and prices of a portfolio, as instances share them. Each instance
 * applies its own risk filter and the request's dust.
 */
import { type Static, Type } from 'typebox'
import type { ChainDefinition } from '../../chains/definition.ts'
import { findChain } from '../../chains/find.ts'
import type { Holding, Holdings } from '../../providers/holdings/holdings.ts'
import type { Clock } from '../../runtime/clock.ts'
import { GatewayError } from '../../runtime/errors.ts'
import { nullable } from '../../runtime/resources/shared.ts'
import { compile } from '../../runtime/validate.ts'
import { type Codec, decodeError, EncodedError, encodeError } from '../../upstream/answers/shared-answers.ts'
import type { PriceFailure, Valuations } from './holding-prices.ts'
import type { ReadPortfolio } from './portfolio.ts'
import type { ChainReading } from './wallet-reader.ts'

const Units = Type.String({ pattern: '^\\d{1,80}$' })
const EncodedHolding = Type.Object({
  address: Type.String(),
  isNative: Type.Boolean(),
  amount: Units,
  decimals: nullable(Type.Integer()),
  symbol: nullable(Type.String()),
  name: nullable(Type.String()),
  wrapped: nullable(Units),
  notes: Type.Array(Type.Enum(['frozen', 'scaled'])),
})
const EncodedHoldings = Type.Object({
  at: Type.Object({ block: nullable(Type.Integer()), slot: nullable(Type.Integer()) }),
  holdings: Type.Array(EncodedHolding),
  isBehind: Type.Boolean(),
  missing: Type.Integer({ minimum: 0 }),
  isCoinMissing: Type.Boolean(),
})
const EncodedPrice = Type.Object({
  address: Type.String(),
  price: Type.Number({ minimum: 0 }),
  priceTs: Type.Number(),
  liq: nullable(Type.Number({ minimum: 0 })),
})
const EncodedName = Type.Object({
  address: Type.String(),
  symbol: nullable(Type.String()),
  name: nullable(Type.String()),
})
const EncodedValuations = Type.Object({
  chain: Type.String(),
  prices: Type.Array(EncodedPrice),
  names: Type.Array(EncodedName),
  failures: Type.Array(Type.Object({ provider: Type.String(), error: EncodedError })),
  unasked: Type.Integer({ minimum: 0 }),
})
const EncodedPortfolio = Type.Object({
  readings: Type.Array(
    Type.Object({
      chain: Type.String(),
      at: Type.Number(),
      held: nullable(EncodedHoldings),
      failure: nullable(EncodedError),
    }),
  ),
  valuations: Type.Array(EncodedValuations),
  at: Type.Number(),
})
type EncodedHoldings = Static<typeof EncodedHoldings>
type EncodedValuations = Static<typeof EncodedValuations>

export function portfolioCodec(clock: Clock): Codec<ReadPortfolio> {
  const validator = compile(EncodedPortfolio)
  return {
    write: ({ readings, valuations, at }) =>
      JSON.stringify({
        readings: readings.map(({ chain, held, at }) => ({
          chain: chain.key,
          at,
          held: held instanceof GatewayError ? null : encodeHoldings(held),
          failure: held instanceof GatewayError ? encodeError(held) : null,
        })),
        valuations: [...valuations].map(encodeValuations),
        at,
      }),
    read(text, { leftMs, skewMs }) {
      const value: unknown = JSON.parse(text)
      if (!validator.Check(value)) return null
      const readings: ChainReading[] = []
      for (const { chain: key, at, held, failure } of value.readings) {
        const chain = findChain(key)
        const outcome = held === null ? failure && decodeError(failure) : decodeHoldings(chain, held)
        if (chain === null || outcome === null) return null
        readings.push({ chain, held: outcome, at: at + skewMs })
      }
      const valuations = value.valuations.map(
        (encoded) => [encoded.chain, decodeValuations(encoded, skewMs)] as const,
      )
      // Every chain that was read must have its prices: nothing asks for them later.
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

const encodeHoldings = ({ at, holdings, missing, isBehind, isCoinMissing }: Holdings): EncodedHoldings => ({
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

function decodeHoldings(
  chain: ChainDefinition | null,
  { holdings, ...rest }: EncodedHoldings,
): Holdings | null {
  if (chain === null) return null
  return {
    ...rest,
    holdings: holdings.map(
      ({ address, isNative, amount, wrapped, ...rest }): Holding => ({
        ...rest,
        token: { chain: chain.key, address, isNative },
        amount: BigInt(amount),
        wrapped: wrapped === null ? null : BigInt(wrapped),
      }),
    ),
  }
}

function encodeValuations([chain, valuations]: readonly [string, Valuations]): EncodedValuations {
  const { prices, names, failures, unasked } = valuations
  return {
    chain,
    prices: [...prices].map(([address, { price, priceTs, liq }]) => ({ address, price, priceTs, liq })),
    names: [...names].map(([address, { symbol, name }]) => ({ address, symbol, name })),
    failures: failures.map(({ provider, error }) => ({ provider, error: encodeError(error) })),
    unasked,
  }
}

function decodeValuations(
  { chain, prices, names, failures, unasked }: EncodedValuations,
  skewMs: number,
): Valuations {
  return {
    prices: new Map(
      prices.map(({ address, priceTs, ...rest }) => [address, { ...rest, priceTs: priceTs + skewMs }]),
    ),
    names: new Map(names.map(({ address, ...rest }) => [address, { chain, address, ...rest }])),
    failures: failures.flatMap(({ provider, error: encoded }): PriceFailure[] => {
      const error = decodeError(encoded)
      return error === null ? [] : [{ provider, error }]
    }),
    unasked,
  }
}
