/**
 * The page's single tooltip: the source and age of a figure. It appears next to the hovered, focused or
 * tapped element, and screen readers read it with that element.
 */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { linesOf, type Provenance } from './provenance.ts'

interface OpenTip {
  readonly anchor: HTMLElement
  readonly provenance: Provenance
}

const ID = 'tip'
/** The gap between a figure and its tooltip, and between the tooltip and the window's edge. */
const GAP_PX = 8
/** How often to check that the figure is still in the document. */
const SWEEP_MS = 1_000

let shown: OpenTip | null = null
let draw: () => void = () => {}
/** The pointer's last position in the window. */
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

/** The event handlers of an element with a tooltip. */
export function tipOf(provenance: Provenance) {
  const open = ({ currentTarget }: { readonly currentTarget: EventTarget }): void =>
    show(currentTarget as HTMLElement, provenance)
  // Ignores elements that scrolled under a resting pointer.
  const enter = (event: PointerEvent & { readonly currentTarget: EventTarget }): void => {
    if (event.clientX !== pointer.clientX || event.clientY !== pointer.clientY) open(event)
  }
  const leave = ({ currentTarget }: { readonly currentTarget: EventTarget }): void => {
    if (currentTarget !== document.activeElement && currentTarget === shown?.anchor) hide()
  }
  return { onPointerEnter: enter, onPointerLeave: leave, onFocus: open, onBlur: hide, onClick: open }
}

/** Rendered once, at the end of the page. */
export function Tip() {
  const element = useRef<HTMLDivElement>(null)
  const [, count] = useState(0)
  useEffect(() => {
    draw = () => count((old) => old + 1)
    const leave = ({ key }: KeyboardEvent): void => {
      if (key === 'Escape') hide()
    }
    // Focusing may scroll an element into view: its tooltip moves with it.
    const scroll = (): void => {
      if (shown?.anchor === document.activeElement) draw()
      else hide()
    }
    const move = ({ clientX, clientY }: PointerEvent): void => {
      pointer = { clientX, clientY }
    }
    // Hides the tooltip of a row that the next answer removed.
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

/** Places the tooltip below its figure, or above it if there is no room. */
function place(tip: HTMLElement, { left, top, bottom, width }: DOMRect): void {
  const { offsetWidth, offsetHeight } = tip
  const { clientWidth, clientHeight } = document.documentElement
  const centred = left + width / 2 - offsetWidth / 2
  const x = Math.max(GAP_PX, Math.min(centred, clientWidth - offsetWidth - GAP_PX))
  const isRoom = bottom + GAP_PX + offsetHeight < clientHeight
  tip.style.left = `${x}px`
  tip.style.top = `${isRoom ? bottom + GAP_PX : Math.max(GAP_PX, top - offsetHeight - GAP_PX)}px`
}
