/**
 * `npm run examples`: asks a sandboxed gateway for every example in src/routes/examples/ and records those anew that it
 * answers differently: with other members, checks or sentences, or another error. The rest keeps its times, prices and
 * signatures, so a second run writes nothing. `--all` records all of them anew.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { isDeepStrictEqual, parseArgs } from 'node:util'
import type { Json } from '../test/fixtures/document.ts'
import { compared, type Group, type Replay, SESSIONS } from '../test/fixtures/examples.ts'

/** The form of a file: one of `examples`, `replies` and `example`. */
interface Recording {
  readonly examples?: Record<string, { request: Json; reply: Json }>
  /** Replies to requests that src/routes/examples/ composes. */
  readonly replies?: Record<string, Json>
  example?: Json
  readonly errors?: Record<string, Json>
}

const FOLDER = new URL('../src/routes/examples/', import.meta.url)
/** Files that nothing records: what an operator might publish, and a gateway of two providers. */
const BY_HAND = new Set(['content', 'health', 'operations'])
/** Members in which a reply differs from another recorded one; its route takes the rest from there. */
const OWN_MEMBERS = new Map([['desktop-swap-options', ['slippageBps', 'amounts']]])

const { values } = parseArgs({ options: { all: { type: 'boolean', default: false } } })
const recordings = new Map<string, Recording>()
/** Examples that this run has recorded. */
const written = new Set<string>()

/** Records a group of which one example does not hold any more, or was recorded by an earlier session. */
function record(group: Group): void {
  const isStale = (replay: Replay): boolean => {
    const { answered, shown } = compared(replay)
    return !isDeepStrictEqual(answered, shown) || written.has(keyOf(replay))
  }
  for (const replay of group) recordingOf(replay)
  if (values.all || group.some(isStale)) for (const replay of group) write(replay)
}

function write(replay: Replay): void {
  const { path, name, request, status, kept } = replay
  const expected = typeof name === 'number' ? name : 200
  if (status !== expected) {
    throw new Error(`${path} ${name}: ${status} in place of ${expected}: ${JSON.stringify(kept)}`)
  }
  written.add(keyOf(replay))
  const recording = recordingOf(replay)
  const recorded = recording.examples?.[name]
  if (typeof name === 'number') recording.errors![name] = kept
  else if (recorded !== undefined) {
    Object.assign(recorded, { request: { ...recorded.request, ...request }, reply: kept })
  } else if (recording.replies !== undefined) recording.replies[name] = kept
  else recording.example = ownMembers(path, kept)
}

function ownMembers(path: string, reply: Json): Json {
  const names = OWN_MEMBERS.get(nameOf(path))
  return names === undefined ? reply : Object.fromEntries(names.map((name) => [name, reply[name]]))
}

function recordingOf({ path }: Replay): Recording {
  const name = nameOf(path)
  if (!recordings.has(name)) {
    recordings.set(name, JSON.parse(readFileSync(fileOf(name), 'utf8')) as Recording)
  }
  return recordings.get(name)!
}

const keyOf = ({ path, name }: Replay): string => `${path} ${name}`
const textOf = (recording: Recording): string => `${JSON.stringify(recording, null, 2)}\n`
const fileOf = (name: string): URL => new URL(`${name}.json`, FOLDER)

/** @param path  of a route: `/api/discover/{address}` is `discover` */
function nameOf(path: string): string {
  const words = path.split('/').filter((word) => word !== '' && word !== 'api' && !word.startsWith('{'))
  return words.join('-')
}

for (const session of SESSIONS) {
  const closings: (() => unknown)[] = []
  const teardown = (close: () => unknown): void => void closings.push(close)
  try {
    for await (const group of session({ teardown })) record(group)
  } finally {
    for (const close of closings.reverse()) await close()
  }
}
for (const [name, recording] of recordings) {
  const text = textOf(recording)
  if (text === readFileSync(fileOf(name), 'utf8')) continue
  writeFileSync(fileOf(name), text)
  console.log(`wrote src/routes/examples/${name}.json`)
}
const unasked = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.json'))
  .map((name) => name.slice(0, -'.json'.length))
  .filter((name) => !BY_HAND.has(name) && !recordings.has(name))
if (unasked.length > 0) {
  throw new Error(`No session of test/fixtures/examples.ts asks for ${unasked.join(', ')}.`)
}
