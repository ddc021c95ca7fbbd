/**
 * The one tip of the page: who says what a figure says, and how old it is. It
 * stands beside what is pointed at, focused or tapped, and is read out with it.
 */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { linesOf, type Provenance } from './provenance.ts'

interface Shown {
  readonly anchor: HTMLElement
  readonly provenance: Provenance
}

const ID = 'tip'
/** Between a figure and its tip, and between the tip and the window's edge. */
const GAP_PX = 8
/** How often it is looked for whether the figure is still there. */
const SWEEP_MS = 1_000

let shown: Shown | null = null
let draw: () => void = () => {}
/** Where the pointer moved to last, in the window. */
let pointer = { clientX: -1, clientY: -1 }

function show(anchor: HTMLElement, provenance: Provenance): void {
  hide()
  anchor.setAttribute('aria-describedby', ID)
  shown = { anchor, provenance }
  draw()
}

function hide(): void {
  shown?.anchor.removeAttribute('aria-describedby')
  shown = null
  draw()
}

/** The handlers of what has a tip. */
export function tipOf(provenance: Provenance) {
  const open = ({ currentTarget }: { readonly currentTarget: EventTarget }): void =>
    show(currentTarget as HTMLElement, provenance)
  // Where the page was scrolled beneath a pointer that rests, nobody pointed at anything.
  const enter = (event: PointerEvent & { readonly currentTarget: EventTarget }): void => {
    if (event.clientX !== pointer.clientX || event.clientY !== pointer.clientY) open(event)
  }
  const leave = ({ currentTarget }: { readonly currentTarget: EventTarget }): void => {
    if (currentTarget !== document.activeElement && currentTarget === shown?.anchor) hide()
  }
  return { onPointerEnter: enter, onPointerLeave: leave, onFocus: open, onBlur: hide, onClick: open }
}

/** Stands once, at the end of the page. */
export function Tip() {
  const element = useRef<HTMLDivElement>(null)
  const [, count] = useState(0)
  useEffect(() => {
    draw = () => count((old) => old + 1)
    const leave = ({ key }: KeyboardEvent): void => {
      if (key === 'Escape') hide()
    }
    // Focus scrolls what it reaches into view: the tip goes along with it.
    const scroll = (): void => {
      if (shown?.anchor === document.activeElement) draw()
      else hide()
    }
    const move = ({ clientX, clientY }: PointerEvent): void => {
      pointer = { clientX, clientY }
    }
    // A row that is gone with the next answer takes its tip along.
    const sweep = setInterval(() => shown?.anchor.isConnected === false && hide(), SWEEP_MS)
    addEventListener('keydown', leave)
    addEventListener('scroll', scroll, { passive: true, capture: true })
    addEventListener('pointermove', move, { passive: true, capture: true })
    return () => {
      clearInterval(sweep)
      removeEventListener('keydown', leave)
      removeEventListener('scroll', scroll, { capture: true })
      removeEventListener('pointermove', move, { capture: true })
    }
  }, [])
  useLayoutEffect(() => {
    if (shown === null || element.current === null) return
    place(element.current, shown.anchor.getBoundingClientRect())
  })
  const lines = shown === null ? [] : linesOf(shown.provenance, Date.now())
  return (
    <div id={ID} class="tip" role="tooltip" ref={element} hidden={shown === null}>
      {lines.map((line, i) => (
        <p key={line} class={i === 0 ? 'tip-source' : ''}>
          {line}
        </p>
      ))}
    </div>
  )
}

/** Below its figure, or above where there is no room. */
function place(tip: HTMLElement, { left, top, bottom, width }: DOMRect): void {
  const { offsetWidth, offsetHeight } = tip
  const { clientWidth, clientHeight } = document.documentElement
  const centred = left + width / 2 - offsetWidth / 2
  const x = Math.max(GAP_PX, Math.min(centred, clientWidth - offsetWidth - GAP_PX))
  const isRoom = bottom + GAP_PX + offsetHeight < clientHeight
  tip.style.left = `${x}px`
  tip.style.top = `${isRoom ? bottom + GAP_PX : Math.max(GAP_PX, top - offsetHeight - GAP_PX)}px`
}
