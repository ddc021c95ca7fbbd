import { useEffect, useState } from 'preact/hooks'
import { Button } from './controls.tsx'

const SHOWN_MS = 2_000

/** A button that copies a text to the clipboard. @param what  the text's name, for screen readers */
export function Copy({ text, what }: { readonly text: string; readonly what: string }) {
  const [said, say] = useState('')
  useEffect(() => {
    if (said === '') return
    const timer = setTimeout(() => say(''), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [said])
  const copy = async (): Promise<void> => {
    try {
      // The clipboard exists only on localhost and over https.
      await navigator.clipboard.writeText(text)
      say('Copied')
    } catch {
      say('Not allowed')
    }
  }
  return (
    <Button class="quiet" onClick={copy} aria-label={`Copy ${what}`}>
      <span role="status">{said || 'Copy'}</span>
    </Button>
  )
}
