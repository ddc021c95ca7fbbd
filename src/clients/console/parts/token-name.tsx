/**
 * A token's symbol, name and chain, with a monogram. Its logo would be a request to
 * a third-party server, which would then know who looks at the token.
 */
import { useChainNames } from '../data/chains.ts'

const HUES = 12

interface NamedToken {
  readonly chain: string
  readonly address: string
  readonly symbol: string | null
  readonly name: string | null
}

export function TokenName({ chain, address, symbol, name }: NamedToken) {
  const chainName = useChainNames()(chain)
  const [first = '?'] = [...(symbol ?? name ?? '?')]
  return (
    <span class="named-token">
      <span class={`monogram hue-${hueOf(symbol ?? address)}`} aria-hidden="true">
        {first.toUpperCase()}
      </span>
      <span class="token-text">
        <strong>{symbol ?? <span class="unknown">—</span>}</strong>
        <small>
          {name !== null && name !== symbol && name !== chainName && <span class="token-name">{name}</span>}
          <span class="chain">{chainName}</span>
        </small>
      </span>
    </span>
  )
}

/** A hue that depends on the asset's symbol only, so that an asset has one colour on all chains. */
function hueOf(asset: string): number {
  let sum = 0
  for (const character of asset) sum = (sum * 31 + character.codePointAt(0)!) % 9_973
  return sum % HUES
}
