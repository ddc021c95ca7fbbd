/** The request behind a view or a part of it, as a curl command to copy. */
import { type CurlRequest, curlOf } from '../curl.ts'
import { Copy } from './copy.tsx'

export function CurlLine({
  exchange,
  of = 'this view',
}: {
  readonly exchange: CurlRequest | null
  readonly of?: string
}) {
  if (exchange === null) return null
  const line = curlOf(exchange, location.origin)
  return (
    <div class="curl">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling element must be reachable by keyboard */}
      <section tabIndex={0} aria-label={`The request of ${of}`}>
        <code>{line}</code>
      </section>
      <Copy text={line} what={`the request of ${of}`} />
    </div>
  )
}
