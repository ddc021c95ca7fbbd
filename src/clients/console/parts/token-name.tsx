/**
 * A token's symbol, name and chain, with its mark or logo, or a monogram if there is none. The gateway fetches logos,
 * so that no third party's server knows who looks at the token.
 */
import { useChainNames, useConfig } from '../data/hooks.ts'
import marks from '../data/marks.json' with { type: 'json' }
import { client } from '../data/service.ts'

/** With a path, or a letter. */
type Drawn = { readonly fill: string } & { readonly [name in 'ink' | 'path' | 'letter' | 'class']?: string }

const MARKS: Readonly<Record<string, Drawn>> = marks.marks
const CHAINS: Readonly<Record<string, string>> = marks.chains
/** By chain and address: a symbol proves nothing. */
const TOKENS: Readonly<Record<string, string>> = marks.tokens

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
  const mark = MARKS[TOKENS[`${chain} ${address.toLowerCase()}`] ?? '']
  const badge = MARKS[CHAINS[chain] ?? '']
  return (
    <span class="named-token line">
      <span class="monogram" aria-hidden="true">
        {mark ? <Mark {...mark} /> : first.toUpperCase()}
        {!mark && image != null && hasLogos && <Logo src={client.logoUrl({ chain, address })} />}
        {badge && badge !== mark && <Mark {...badge} class="badge" />}
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
const Logo = ({ src }: { readonly src: string }) => (
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

/** Of the chains' own coins and their stablecoins; small, that of a chain. */
const Mark = ({ fill, ink = '#fff', path, letter, class: name = '' }: Drawn) => (
  <svg class={name} viewBox="0 0 32 32" aria-hidden="true">
    <circle cx="16" cy="16" r="16" fill={fill} />
    {path === undefined ? (
      <text x="16" y="23" font-size="19" font-weight="700" text-anchor="middle" fill={ink}>
        {letter}
      </text>
    ) : (
      <path d={path} fill={ink} />
    )}
  </svg>
)
