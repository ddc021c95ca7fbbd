/**
 * Each regular expression of src/ takes time in proportion to what it reads, as recheck finds, or its input is bounded
 * elsewhere: the list says by what. The version of recheck is in test/long/packages/signers.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import t from 'tap'
import ts from 'typescript'
import { installed } from './clients/world.ts'

const SRC = fileURLToPath(new URL('../../src/', import.meta.url))
const TIMEOUT_MS = 60_000

const OWN = "it is the program's own configuration, or its environment's"
const SENTENCE = 'a sentence of an upstream is cut before'
const NUMBER = 'a number has few digits'
const JSON_TEXT = 'the text is JSON, in which no string lacks its end'

/** By the expression: why one that is not linear is harmless. */
const BOUNDED: Readonly<Record<string, string>> = {
  '/\\/+$/': OWN,
  '/_SERVICE_(HOST|PORT(_\\w+)?)$|_PORT_\\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?$/': OWN,
  '/("(?:[^"\\\\]|\\\\.)*")|\\s+/g': JSON_TEXT,
  '/"(?:[^"\\\\]|\\\\.)*"|true|false|null/g': JSON_TEXT,
  '/0+$/': NUMBER,
  '/\\B(?=(?:\\d{3})+$)/g': NUMBER,
  '/^\\w+::\\w*swap\\w*$/': 'a Move name has at most 128 characters',
  '/(?: |\\p{Join_Control})+$/u': 'a text is cut to the length of its field before',
  '/(amount|units|input|size).*(too (small|low)|below|less than|at least|minim)|insufficient (amount|units|input|size)/i':
    SENTENCE,
  '/(amount|units|input|size).*(too (large|big|high|much)|above|exceed|greater than|at most|maxim)/i':
    SENTENCE,
  '/\\bno\\b.*\\b(routes?|paths?|pools?)\\b|\\b(routes?|paths?|pools?)\\b.*\\bnot\\b.*\\bfound\\b|liquidity/i':
    SENTENCE,
  '/\\b(tokens?|jettons?|assets?|coins?|coin ?type|address)\\b.*(unknown|unsupported|invalid|not\\b.*(found|exist|support|valid|list))|(unknown|unsupported|invalid|no such) (tokens?|jettons?|assets?|coins?)/i':
    SENTENCE,
  '/token.*(not found|invalid|unknown)|(invalid|unknown).*token/i': SENTENCE,
  '/\\bmethod\\b.*\\b(not (be )?(found|supported|available|allowed|enabled|whitelisted)|does(n.t| not) exist|unsupported|disabled|unavailable)|(unknown|unsupported|unavailable|disabled|no such) method/i':
    SENTENCE,
  '/\\b(block|log|response|result)s?\\b.{0,20}\\b(range|size|limit|count)|\\bmore than \\d+ (results|logs|blocks)|\\b(batch|body|payload)\\b/i':
    'it looks at most 20 characters ahead',
}

/** The members of JSON rows that are made expressions, and with which flags. */
const IN_ROWS: Readonly<Record<string, string>> = { pattern: 'i', host: '' }

/** All literals, and those in rows of JSON, each once. Those of the sandbox read what it is sent by this gateway. */
function expressions(): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const name of readdirSync(SRC, { recursive: true, encoding: 'utf8' })) {
    if (/\.json$/.test(name) && !name.startsWith('sandbox')) {
      JSON.parse(readFileSync(join(SRC, name), 'utf8'), (key, value) => {
        const flags = IN_ROWS[key]
        if (flags !== undefined && typeof value === 'string') found.set(`/${value}/${flags}`, name)
        return value
      })
    }
    if (!/\.tsx?$/.test(name) || name.startsWith('sandbox')) continue
    const file = ts.createSourceFile(name, readFileSync(join(SRC, name), 'utf8'), ts.ScriptTarget.Latest)
    const visit = (node: ts.Node): void => {
      if (ts.isRegularExpressionLiteral(node)) found.set(node.text, name)
      ts.forEachChild(node, visit)
    }
    visit(file)
  }
  return found
}

t.test('no expression of the product takes more than linear time', (t) => {
  process.env.RECHECK_BACKEND = 'pure'
  const require = createRequire(pathToFileURL(join(installed('signers'), 'index.js')))
  const { checkSync } = require('recheck')
  const all = expressions()
  t.ok(all.size > 100)
  for (const [text, file] of all) {
    if (BOUNDED[text] !== undefined) continue
    const end = text.lastIndexOf('/')
    const { status, complexity } = checkSync(text.slice(1, end), text.slice(end + 1), {
      timeout: TIMEOUT_MS,
    })
    t.equal(status, 'safe', `${file}: ${text} ${complexity?.summary ?? ''}`)
  }
  const stale = Object.keys(BOUNDED).filter((text) => !all.has(text))
  t.same(stale, [], 'the list has none that is gone')
  t.end()
})
