/** An attempt: its review or why it is blocked, and its progress. */

import type { RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { useChains } from '../../../data/hooks.ts'
import { titleOf } from '../../../data/words.ts'
import { Empty, Panel } from '../../../parts/panel.tsx'
import { Progress } from './progress.tsx'
import type { Attempt } from './types.ts'
import './noted.ts'
import { OwnRefusal, Refusal } from './refusal.tsx'
import { Review } from './review.tsx'

/** Moves the focus to the new content when the pressed button disappears with the old. */
export function useFocusKept(root: RefObject<HTMLElement>, shown: string): void {
  const first = useRef(shown)
  useEffect(() => {
    if (shown !== first.current && document.activeElement === document.body) {
      root.current?.querySelector('h2')?.focus({ preventScroll: true })
      root.current?.scrollIntoView()
    }
    first.current = ''
  }, [shown])
}

export function Attempted({ attempt }: { readonly attempt: Attempt }) {
  const chains = useChains()
  const { phase, built, verdict, error } = attempt
  // After a reload there is nothing to review, only what was sent.
  const isReviewed = built !== null || verdict !== null || error !== null
  if (phase === 'building') {
    return (
      <Panel title="Review">
        <Empty>{`Building with ${titleOf(attempt.quote.provider)} and running checks…`}</Empty>
      </Panel>
    )
  }
  return (
    <>
      {attempt.steps.length > 0 && (
        <Panel
          title={phase === 'running' ? 'Swapping…' : phase === 'done' ? 'Swap complete' : 'Swap not complete'}
        >
          <Progress attempt={attempt} />
        </Panel>
      )}
      {isReviewed && (
        <Panel title={phase === 'refused' ? 'Blocked' : 'Review'}>
          {error !== null && <Refusal attempt={{ ...attempt, error }} />}
          {verdict?.isVerified === false && <OwnRefusal verdict={verdict} attempt={attempt} />}
          {built !== null && verdict?.isVerified === true && (
            <Review
              attempt={attempt as Attempt & { built: typeof built; verdict: typeof verdict }}
              chains={chains}
              isReview={phase === 'review'}
            />
          )}
        </Panel>
      )}
    </>
  )
}
