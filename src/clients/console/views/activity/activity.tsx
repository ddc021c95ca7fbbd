/** The swaps of this browser: what became of each, and its file. */
import { useEffect } from 'preact/hooks'
import { activity, note, type Swapped } from '../../data/activity.ts'
import { useAnswer, useChainNames, useChains, useNow } from '../../data/hooks.ts'
import { useKept } from '../../data/kept.ts'
import { time } from '../../format.ts'
import { hrefOf } from '../../location.ts'
import { Button } from '../../parts/controls.tsx'
import { OnChain } from '../../parts/explorer.tsx'
import { Empty, ViewHead } from '../../parts/panel.tsx'
import { type Column, column, Table } from '../../parts/table.tsx'
import { download } from '../swap/attempt/trade.ts'
import words from '../swap/attempt/words.json' with { type: 'json' }

const EVERY_MS = 5_000
const STATES: Readonly<Record<string, string>> = words.steps

export default function Activity() {
  const swaps = useKept(activity)
  const now = useNow(EVERY_MS)
  const chains = useChains()
  const nameOf = useChainNames()
  const columns: readonly Column<Swapped>[] = [
    column('swap', 'Swap', ({ paid, got }) => `${paid} → ${got}`),
    column('chain', 'Network', ({ chain }) => nameOf(chain)),
    column('at', 'When', ({ at }) => time(at, now)),
    column('state', 'Status', (one) => <State swapped={one} />),
    column('id', 'Transaction', ({ id, chain }) => (
      <OnChain chain={chains.find(({ key }) => key === chain) ?? null} kind="tx" id={id} />
    )),
    column(
      'trade',
      'Trade file',
      ({ id, trade }) =>
        trade !== null && (
          <Button class="quiet" onClick={() => download(trade, id)}>
            Save
          </Button>
        ),
    ),
  ]
  return (
    <>
      <ViewHead title="Activity">
        <p class="lead">Swaps made in this browser. The list is kept here alone.</p>
      </ViewHead>
      {swaps.length === 0 ? (
        <Empty>
          No swaps yet. <a href={hrefOf('swap')}>Make one</a>.
        </Empty>
      ) : (
        <Table caption="Swaps of this browser" columns={columns} rows={swaps} idOf={({ id }) => id} />
      )}
    </>
  )
}

/** Asks for the status of what was under way when its page was left. */
function State({ swapped }: { readonly swapped: Swapped }) {
  const { id, chain, state } = swapped
  const isOpen = state === 'sent' || state === 'checking' || state === 'unknown'
  const asked = { chain, ...(chain === 'solana' ? { signature: id } : { hash: id }) }
  const { data } = useAnswer('transactionStatus', isOpen ? asked : null, { everyMs: EVERY_MS })
  const known = data?.status === 'failed' ? 'reverted' : data?.isFinal ? 'done' : state
  useEffect(() => {
    if (known !== state) note({ ...swapped, state: known })
  }, [known])
  const style =
    known === 'done' ? 'state-ok' : known === 'sent' || known === 'checking' ? '' : 'state-refused'
  return <span class={`chip ${style}`}>{STATES[known] ?? known}</span>
}
