/**
 * A token's symbol, name and chain, with its logo, or a monogram if there is none. The gateway fetches logos,
 * so that no third party's server knows who looks at the token.
 */
import { useChainNames } from '../data/chains.ts'
import { useConfig } from '../data/hooks.ts'
import { client } from '../data/service.ts'

const HUES = 12
/** In degrees. */
const FIRST_HUE = 5

interface NamedToken {
  readonly chain: string
  readonly address: string
  readonly symbol: string | null
  readonly name: string | null
  /** A link to its logo, if a list names one: the gateway has it then. */
  readonly image?: string | null | undefined
}

export function TokenName({ chain, address, symbol, name, image }: NamedToken) {
  const chainName = useChainNames()(chain)
  const hasLogos = useConfig().data?.logos === true
  const [first = '?'] = [...(symbol ?? name ?? '?')]
  return (
    <span class="named-token line">
      <span class="monogram" style={{ '--hue': hueOf(symbol ?? address) }} aria-hidden="true">
        {first.toUpperCase()}
        {image != null && hasLogos && <Logo src={client.logoUrl({ chain, address })} />}
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

/** Above the monogram, which stays if the picture is unavailable. */
function Logo({ src }: { readonly src: string }) {
  return (
    <img
      key={src}
      src={src}
      alt=""
      loading="lazy"
      decoding="async"
      onError={({ currentTarget }) => {
        currentTarget.hidden = true
      }}
    />
  )
}

/** A hue in degrees that depends on the asset's symbol only, so that an asset has one colour on all chains. */
function hueOf(asset: string): number {
  let sum = 0
  for (const character of asset) sum = (sum * 31 + character.codePointAt(0)!) % 9_973
  return FIRST_HUE + (sum % HUES) * (360 / HUES)
}
