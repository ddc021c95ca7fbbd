/** The request behind a view or a part of it, folded behind a button: for a shell and for JavaScript, to copy. */
import { useEffect, useRef } from 'preact/hooks'
import { type CurlRequest, curlOf, fetchOf } from '../curl.ts'
import { Copy } from './copy.tsx'

interface CurlLineProps {
  readonly exchange: CurlRequest | null
  readonly of?: string
}

export function CurlLine({ exchange, of = 'this view' }: CurlLineProps) {
  const details = useRef<HTMLDetailsElement>(null)
  useEffect(() => {
    const close = (event: Event): void => {
      const isKept =
        event instanceof KeyboardEvent ? event.key !== 'Escape' : isWithin(details.current, event)
      if (!isKept) details.current?.removeAttribute('open')
    }
    addEventListener('keydown', close)
    addEventListener('pointerdown', close)
    return () => {
      removeEventListener('keydown', close)
      removeEventListener('pointerdown', close)
    }
  }, [])
  if (exchange === null) return null
  const samples = [
    [`The request of ${of}`, `the request of ${of}`, curlOf(exchange, location.origin)],
    [`The request of ${of} in JavaScript`, `the JavaScript of ${of}`, fetchOf(exchange, location.origin)],
  ] as const
  return (
    <details class="curl" ref={details}>
      <summary>
        <span aria-hidden="true">{'</> '}</span>API
      </summary>
      <div class="api">
        {samples.map(([title, what, text]) => (
          <div key={title} class="sample line">
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling element must be reachable by keyboard */}
            <section tabIndex={0} aria-label={title}>
              <code>{text}</code>
            </section>
            <Copy text={text} what={what} />
          </div>
        ))}
        <a href="/reference">Reference</a>
      </div>
    </details>
  )
}

const isWithin = (element: Element | null, { target }: Event): boolean =>
  target instanceof Node && element?.contains(target) === true
