/** Texts of the document, in which the only marks are those of code; what is folded; and code to copy. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Kept, useKept } from '../data/kept.ts'
import { Copy } from '../parts/copy.tsx'

/** Paragraphs. */
export const Text = ({ text }: { readonly text: string }) => (
  <>
    {text.split('\n\n').map((part) => (
      <p key={part}>
        {part.split('`').map((piece, i) => (i % 2 === 0 ? piece : <code key={i}>{piece}</code>))}
      </p>
    ))}
  </>
)

type FoldedProps = { readonly title: string; readonly isOpen?: boolean; children(): ComponentChildren }

/** What is inside is drawn once it is opened. */
export function Folded({ title, isOpen = false, children }: FoldedProps) {
  const [isDrawn, set] = useState(isOpen)
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => currentTarget.open && set(true)}>
      <summary>{title}</summary>
      {isDrawn && children()}
    </details>
  )
}

/** A text of a program. @param what  its name, for screen readers */
export const Source = ({ text, what }: { readonly text: string; readonly what: string }) => (
  <div class="source">
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling element must be reachable by keyboard */}
    <section tabIndex={0} aria-label={what}>
      <code>{text}</code>
    </section>
    <Copy text={text} what={what} />
  </div>
)

/** The place of the language that was chosen last: all lists have them in the same order. */
const CHOSEN = new Kept(0)

/** The same in several languages. */
export function Programs({ programs }: { readonly programs: Readonly<Record<string, string>> }) {
  const chosen = useKept(CHOSEN)
  return (
    <>
      <fieldset class="theme" aria-label="Language">
        {Object.keys(programs).map((language, i) => (
          <label key={language}>
            <input type="radio" name="language" checked={i === chosen} onChange={() => CHOSEN.set(i)} />
            <span>{language}</span>
          </label>
        ))}
      </fieldset>
      <Source text={Object.values(programs)[chosen]!} what="the code" />
    </>
  )
}
