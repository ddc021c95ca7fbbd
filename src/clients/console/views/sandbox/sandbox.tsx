/** The sandbox's faults: which provider or node fails or steals, and how. The other views show the effect. */
import { useEffect, useState } from 'preact/hooks'
import type { CurlRequest } from '../../curl.ts'
import { useHealth } from '../../data/hooks.ts'
import { titleOf } from '../../data/words.ts'
import { hrefOf } from '../../location.ts'
import { Button, Select } from '../../parts/controls.tsx'
import { CurlLine } from '../../parts/curl-line.tsx'
import { Empty, Panel, ViewHead, WaitingView } from '../../parts/panel.tsx'
import {
  ControlError,
  type FaultDial,
  type FaultDials,
  type FaultKinds,
  readDials,
  readKinds,
  resetDials,
  turnDial,
} from './control.ts'
import { faultInWords, faultTitle, isNode, serverInWords } from './meanings.ts'

/** Other clients may set faults too, and each theft is reported here. */
const EVERY_MS = 3_000

export default function Sandbox() {
  const health = useHealth()
  if (health.data === null) return <WaitingView title="Sandbox" query={health} />
  const control = health.data.sandbox?.control
  if (control === undefined) {
    return (
      <>
        <ViewHead title="Sandbox" />
        <Empty>
          This gateway is live: its providers are real, so no faults can be set. Run it with MODE=sandbox for
          that.
        </Empty>
      </>
    )
  }
  return <Panels control={control} />
}

/** The current faults, with functions to change them. */
function useDials(control: string) {
  const [kinds, setKinds] = useState<FaultKinds | null>(null)
  const [dials, setDials] = useState<FaultDials | null>(null)
  const [problem, tell] = useState('')
  const [request, note] = useState<CurlRequest>({ method: 'GET', url: `${control}/faults`, body: null })
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
    turn: (name: string, dial: FaultDial) =>
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

type TurnDial = (name: string, dial: FaultDial) => Promise<void>

function Panels({ control }: { readonly control: string }) {
  const { kinds, dials, problem, request, turn, reset } = useDials(control)
  const names = Object.keys(dials ?? {})
  const failing = names.filter((name) => dials![name]!.fault !== null)
  const builds = (name: string): boolean => kinds?.[name]?.some(({ fault }) => fault === 'steal') === true
  const groups = [
    ['Providers that build transactions', names.filter(builds)],
    ['Nodes', names.filter(isNode)],
    ['Other providers', names.filter((name) => !builds(name) && !isNode(name))],
  ] as const
  return (
    <>
      <ViewHead title="Sandbox">
        <p class="lead">
          {'The sandbox simulates every provider and node. Here you make them fail or steal: '}
          <a href={hrefOf('swap')}>Swap</a>
          {' shows what passes and what is refused, and '}
          <a href={hrefOf('limits')}>Limits & health</a>
          {' shows their health.'}
        </p>
        <p class="actions row">
          <Button onClick={reset} disabled={failing.length === 0}>
            Clear all faults
          </Button>
          <span role="status">
            {failing.length === 0 ? 'No faults are set.' : `Faults set: ${failing.map(titleOf).join(', ')}.`}
          </span>
        </p>
        <CurlLine exchange={request} />
      </ViewHead>
      {problem !== '' && <p role="alert">{problem}</p>}
      {kinds === null || dials === null ? (
        <Empty>{problem === '' ? 'Loading…' : 'Nothing to show.'}</Empty>
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
  readonly kinds: FaultKinds[string]
  readonly dial: FaultDial
  readonly turn: TurnDial
}

function Server({ name, kinds, dial, turn }: ServerProps) {
  const { fault, theft } = dial
  const title = titleOf(name)
  const steals = kinds.some((kind) => kind.fault === 'steal')
  const amounts = Object.entries(kinds.find((kind) => kind.fault === fault)?.amounts ?? {})
  return (
    <li class={fault === null ? '' : 'failing'}>
      <p class="server row">
        <strong>{title}</strong>
        <small>{serverInWords(name)}</small>
      </p>
      <div class="dials row">
        {steals && (
          <Button
            role="switch"
            class="switch"
            aria-checked={fault === 'steal'}
            aria-label={`${title} steals`}
            onClick={() => turn(name, { fault: fault === 'steal' ? null : 'steal' })}
          >
            <span class="knob" aria-hidden="true" />
            Steal
          </Button>
        )}
        <label>
          <span class="hidden">{`Fault of ${title}`}</span>
          <Select
            value={fault ?? ''}
            options={[['', 'Normal'], ...kinds.map((kind) => [kind.fault, faultTitle(kind.fault)] as const)]}
            onChange={(chosen) => turn(name, { fault: chosen || null })}
          />
        </label>
        {amounts.map(([unit, { min, max }]) => (
          <label key={unit} class="amount line">
            {unit}
            <input
              type="number"
              min={min}
              max={max}
              value={typeof dial[unit] === 'number' ? dial[unit] : ''}
              aria-label={`${unit} of ${title}`}
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
          {fault === 'steal' && (theft == null ? ' No attempts yet.' : ` The last time it ${theft}.`)}
        </p>
      )}
    </li>
  )
}
