/**
 * A token's symbol, name and chain, with a monogram. Its logo would be a request to
 * a third-party server, which would then know who looks at the token.
 */

const HUES = 12

interface NamedToken {
  readonly chain: string
  readonly address: string
  readonly symbol: string | null
  readonly name: string | null
}

export function TokenName({ chain, address, symbol, name }: NamedToken) {
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

/** A hue that depends on the address only. */
function hueOf(address: string): number {
  let sum = 0
  for (const character of address) sum = (sum * 31 + character.codePointAt(0)!) % 9_973
  return sum % HUES
}
