/**
 * A token's symbol, name and chain, with a monogram: its picture would be a
 * request to somebody else's server, who then knows who looks at it.
 */

const HUES = 12

interface Named {
  readonly chain: string
  readonly address: string
  readonly symbol: string | null
  readonly name: string | null
}

export function TokenName({ chain, address, symbol, name }: Named) {
  const [first = '?'] = [...(symbol ?? name ?? '?')]
  return (
    <span class="named-token">
      <span class={`monogram hue-${hueOf(address)}`} aria-hidden="true">
        {first.toUpperCase()}
      </span>
      <span class="token-text">
        <strong>{symbol ?? <span class="unknown">—</span>}</strong>
        <small>
          {name !== null && name !== symbol && <span class="token-name">{name}</span>}
          <span class="chain">{chain}</span>
        </small>
      </span>
    </span>
  )
}

/** The same for the same address. */
function hueOf(address: string): number {
  let sum = 0
  for (const character of address) sum = (sum * 31 + character.codePointAt(0)!) % 9_973
  return sum % HUES
}
