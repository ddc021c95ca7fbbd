/** The sandbox's dials: who fails how, and who was taken over. What comes of it is seen in the other views. */
import { useEffect, useState } from 'preact/hooks'
import { useHealth } from '../../data/health.ts'
import { hrefOf } from '../../location.ts'
import { CurlLine } from '../../parts/curl-line.tsx'
import { Empty, Panel, ViewHead, Waiting } from '../../parts/panel.tsx'
import {
  ControlError,
  type Dial,
  type Dials,
  type Kinds,
  readDials,
  readKinds,
  resetDials,
  turnDial,
} from './control.ts'
import { faultInWords, isNode, serverInWords, titleOf } from './meanings.ts'

/** Others may turn the dials too, and a thief tells what it did. */
const EVERY_MS = 3_000

export function Faults() {
  const health = useHealth()
  if (health.data === null) {
    return (
      <>
        <ViewHead title="Faults" query={health} />
        <Waiting query={health} />
      </>
    )
  }
  const control = health.data.sandbox?.control
  if (control === undefined) {
    return (
      <>
        <ViewHead title="Faults" />
        <Empty>
          This gateway is live: what it asks is real, and cannot be told to fail. The sandbox has dials.
        </Empty>
      </>
    )
  }
  return <Panels control={control} />
}

interface Request {
  readonly method: 'GET' | 'PUT' | 'DELETE'
  readonly url: string
  readonly body: string | null
}

/** The dials as they stand, and ways to turn them. */
function useDials(control: string) {
  const [kinds, setKinds] = useState<Kinds | null>(null)
  const [dials, setDials] = useState<Dials | null>(null)
  const [problem, tell] = useState('')
  const [request, note] = useState<Request>({ method: 'GET', url: `${control}/faults`, body: null })
  const attempt = async (ask: () => Promise<void>): Promise<void> => {
    try {
      await ask()
      tell('')
    } catch (error) {
      if (!(error instanceof ControlError)) throw error
      tell(error.message)
    }
  }
  const read = () => attempt(async () => setDials(await readDials(control)))
  useEffect(() => {
    void attempt(async () => {
      setKinds(await readKinds(control))
      setDials(await readDials(control))
    })
    const timer = setInterval(() => {
      if (document.visibilityState !== 'hidden') void read()
    }, EVERY_MS)
    return () => clearInterval(timer)
  }, [control])
  return {
    kinds,
    dials,
    problem,
    request,
    turn: (name: string, dial: Dial) =>
      attempt(async () => {
        note({ method: 'PUT', url: `${control}/faults/${name}`, body: JSON.stringify(dial) })
        const turned = await turnDial(control, name, dial)
        setDials((all) => ({ ...all, [name]: turned }))
      }),
    reset: () =>
      attempt(async () => {
        note({ method: 'DELETE', url: `${control}/faults`, body: null })
        setDials(await resetDials(control))
      }),
  }
}

type Turn = (name: string, dial: Dial) => Promise<void>

function Panels({ control }: { readonly control: string }) {
  const { kinds, dials, problem, request, turn, reset } = useDials(control)
  const names = Object.keys(dials ?? {})
  const failing = names.filter((name) => dials![name]!.fault !== null)
  const builds = (name: string): boolean => kinds?.[name]?.some(({ fault }) => fault === 'steal') === true
  const groups = [
    ['Who builds', names.filter(builds)],
    ['Nodes', names.filter(isNode)],
    ['Other sources', names.filter((name) => !builds(name) && !isNode(name))],
  ] as const
  return (
    <>
      <ViewHead title="Faults">
        <p class="lead">
          {'The sandbox pretends to be every provider and node. Here they fail, or rob: '}
          <a href={hrefOf('swap')}>Swap</a>
          {' shows what comes through, and what is refused. '}
          <a href={hrefOf('limits')}>Limits & health</a>
          {' shows how they are.'}
        </p>
        <p class="actions">
          <button type="button" onClick={reset} disabled={failing.length === 0}>
            All work again
          </button>
          <span role="status">
            {failing.length === 0 ? 'All work.' : `Told to fail: ${failing.join(', ')}.`}
          </span>
        </p>
        <CurlLine exchange={request} />
      </ViewHead>
      {problem !== '' && <p role="alert">{problem}</p>}
      {kinds === null || dials === null ? (
        <Empty>{problem === '' ? 'Waiting for the first answer …' : 'There is no answer yet.'}</Empty>
      ) : (
        groups.map(([title, members]) => (
          <Panel key={title} title={title}>
            <ul class="servers">
              {members.map((name) => (
                <Server key={name} name={name} kinds={kinds[name]!} dial={dials[name]!} turn={turn} />
              ))}
            </ul>
          </Panel>
        ))
      )}
    </>
  )
}

interface ServerProps {
  readonly name: string
  readonly kinds: Kinds[string]
  readonly dial: Dial
  readonly turn: Turn
}

function Server({ name, kinds, dial, turn }: ServerProps) {
  const { fault, theft } = dial
  const steals = kinds.some((kind) => kind.fault === 'steal')
  const amounts = Object.entries(kinds.find((kind) => kind.fault === fault)?.amounts ?? {})
  return (
    <li class={fault === null ? '' : 'failing'}>
      <p class="server">
        <strong>{name}</strong>
        <small>{serverInWords(name)}</small>
      </p>
      <div class="dials">
        {steals && (
          <button
            type="button"
            role="switch"
            class="switch"
            aria-checked={fault === 'steal'}
            aria-label={`${name} steals`}
            onClick={() => turn(name, { fault: fault === 'steal' ? null : 'steal' })}
          >
            <span class="knob" aria-hidden="true" />
            steals
          </button>
        )}
        <label>
          <span class="hidden">{`Fault of ${name}`}</span>
          <select
            value={fault ?? ''}
            onChange={({ currentTarget }) => turn(name, { fault: currentTarget.value || null })}
          >
            <option value="">works</option>
            {kinds.map((kind) => (
              <option key={kind.fault} value={kind.fault}>
                {titleOf(kind.fault)}
              </option>
            ))}
          </select>
        </label>
        {amounts.map(([unit, { min, max }]) => (
          <label key={unit} class="amount">
            {unit}
            <input
              type="number"
              min={min}
              max={max}
              value={typeof dial[unit] === 'number' ? dial[unit] : ''}
              aria-label={`${unit} of ${name}`}
              onChange={({ currentTarget: { value } }) => {
                const { [unit]: _, ...others } = dial
                return turn(name, { ...others, fault, ...(value !== '' && { [unit]: Number(value) }) })
              }}
            />
          </label>
        ))}
      </div>
      {fault !== null && (
        <p class="meaning">
          {faultInWords(fault)}
          {fault === 'steal' && (theft == null ? ' It has not robbed yet.' : ` The last time it ${theft}.`)}
        </p>
      )}
    </li>
  )
}
