/** The request that a view, or a part of it, was made by: a line to copy. */
import { type Asked, curlOf } from '../curl.ts'
import { Copy } from './copy.tsx'

export function CurlLine({
  exchange,
  of = 'this view',
}: {
  readonly exchange: Asked | null
  readonly of?: string
}) {
  if (exchange === null) return null
  const line = curlOf(exchange, location.origin)
  return (
    <div class="curl">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
      <section tabIndex={0} aria-label={`The request of ${of}`}>
        <code>{line}</code>
      </section>
      <Copy text={line} what={`the request of ${of}`} />
    </div>
  )
}
