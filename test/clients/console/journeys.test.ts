/**
 * The journeys of docs/console.md: each is run in Chromium, by tests that are named here.
 * test/long/clients/console/journeys.test.ts measures them.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { ROOT } from '../../../scripts/docs/pages.ts'

/** Tests of a journey, by their names in files of this folder, or of test/long if they take longer. */
const RUN_BY: Readonly<Record<string, readonly (readonly [file: string, name: string])[]>> = {
  'Find a token': [
    ['tokens', 'it is searched by symbol, name and address, and the URL keeps what was searched'],
    ['tokens', 'a chip narrows it to one of the lists, and gives way when it is pressed again'],
    ['tokens', 'it is sorted by a column, first the most, and what is unknown stands last'],
  ],
  'Swap a token of the list': [['swap', 'of SOL for USDC, with a wallet that the page makes']],
  'Swap on an EVM chain': [
    ['swap', 'of USDC for ETH on Base: an approval of exactly the amount, then the swap'],
    ['swap', 'with a wallet that is found by EIP-6963, which signs and sends'],
  ],
  'Swap to another chain': [
    ['swap', 'to another chain: the recipient, what is proved, and a track of three steps'],
  ],
  'Buy several tokens at once': [
    ['basket', 'its plan adds up, and a token that is taken out gives its place to the next'],
    ['basket', 'its parts are reviewed and signed one after the other, and none twice'],
  ],
  'See a theft refused': [['swap', 'a theft that a click switched on is refused, with its rule in words']],
  'Sell what an address holds': [
    ['portfolio', 'of a pasted address: the total first, then what each figure is of'],
  ],
  'Explain a request, and send a transaction': [
    ['explain', 'a transfer to a friend is known, and a node shows what it changes, all by keyboard'],
    ['relay', 'a good transaction is decoded before it is sent, sent, and followed until it is final'],
  ],
  'Watch your limits': [['limits', 'a budget drains with each request, and refills when its window ends']],
  'Outlast an outage': [
    ['recovery', 'what is shown stays when the service stops, says how old it is, and recovers'],
  ],
  'Find a broken provider': [['operator', 'what goes wrong is seen: an upstream, and the service itself']],
}

/** The first cells of a table's rows. */
const namesIn = (text: string): readonly string[] =>
  [...text.matchAll(/^\| ([A-Z][^|]*?) \|/gm)].map(([, name]) => name!)

t.test('eleven journeys are described, and tests in Chromium run each of them', async (t) => {
  const page = readFileSync(join(ROOT, 'docs/console.md'), 'utf8')
  const [, section = ''] = /\n## Journeys\n(.*?)\n## /s.exec(page) ?? []
  const [steps, figures] = section.split('\n### What they take\n').map(namesIn)
  t.equal(steps!.length, 11)
  t.same(figures, steps, 'each has its time, bytes and requests')
  t.same(steps, Object.keys(RUN_BY))
  for (const [journey, tests] of Object.entries(RUN_BY)) {
    t.ok(tests.length > 0, journey)
    for (const [file, name] of tests) {
      const here = join(import.meta.dirname, `${file}.test.ts`)
      const long = join(ROOT, `test/long/clients/console/${file}.test.ts`)
      const source = readFileSync(existsSync(here) ? here : long, 'utf8')
      t.match(source, /= await startBrowser\(\)/, `${file} is run in Chromium`)
      t.equal(
        source.replace(/\btest\(\s+/g, 'test(').split(`.test('${name}',`).length,
        2,
        `${journey}: ${name}`,
      )
    }
  }
})
