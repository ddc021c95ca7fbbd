/** The first page: a quickstart, the groups of entries, the conventions, and the codes of errors. */
import { useEffect } from 'preact/hooks'
import { Codes } from './codes.tsx'
import type { Reference } from './document.ts'
import curl from './samples/curl.txt'
import go from './samples/go.txt'
import javascript from './samples/javascript.txt'
import python from './samples/python.txt'
import { Programs, Text } from './text.tsx'
import texts from './texts.json' with { type: 'json' }

const QUICKSTART = Object.entries({ curl, JavaScript: javascript, Python: python, Go: go }).map(
  ([language, text]) => [language, text.trimEnd().replaceAll('http://localhost:8080', location.origin)],
)

type OverviewProps = Pick<Reference, 'errors'> & { readonly code: string | undefined }

/** @param code  of an error that is looked up */
export function Overview({ errors, code }: OverviewProps) {
  useEffect(() => document.getElementById(`error-${code}`)?.scrollIntoView({ block: 'center' }), [code])
  const usual = texts.usual.flatMap((one) => errors.filter((row) => row.code === one))
  return (
    <article class="overview view">
      <h1 tabIndex={-1}>Quickstart</h1>
      <p>
        Ask for a <a href="#get-/api/quote">quote</a>, have it <a href="#post-/api/build">built</a>, sign it
        in your wallet, <a href="#rpc-sendTransaction">send</a> it.
      </p>
      <Text text={texts.quickstart} />
      <Programs programs={Object.fromEntries(QUICKSTART)} />
      <h2>Conventions</h2>
      <Text text={texts.conventions.join('\n\n')} />
      <h2>Errors you will meet</h2>
      <Text text={texts.errors} />
      <Codes codes={usual} />
      <details open={code !== undefined}>
        <summary>All {errors.length} codes</summary>
        <Codes codes={errors} current={code ?? 'none'} />
      </details>
    </article>
  )
}
