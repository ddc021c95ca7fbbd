import t from 'tap'
import { printable, shown } from '../../src/runtime/shown.ts'

t.test('passwords and keys of URLs are left out', async (t) => {
  for (const [text, expected] of [
    ['base', 'base'],
    ['https://a.example/b', 'https://a.example/b'],
    ['https://user:s3cret@a.example', '(not shown)@a.example'],
    ['https://user:s3cret/@?#@a.example/x', '(not shown)@a.example/x'],
    ['user:s3cret@a.example', '(not shown)@a.example'],
    ['https://a.example/?api-key=s3cret', 'https://a.example/?(not shown)'],
    ['https://a.example,https://s3cret@b.example', '(not shown)@b.example'],
  ] as const) {
    t.equal(shown(text), expected)
  }
})

t.test('a long text is cut, and what a terminal would obey is an escape', async (t) => {
  t.equal(printable('a'.repeat(80)), 'a'.repeat(80))
  t.equal(printable('a'.repeat(100_000)), `${'a'.repeat(79)}…`)
  t.equal(printable('\u001b[31mred\n\u202e\u009b'), '\\u{1b}[31mred\\u{a}\\u{202e}\\u{9b}')
  t.ok(printable('\u001b'.repeat(80)).length <= 80)
  t.equal(printable('/data/@lists/?.txt'), '/data/@lists/?.txt')
})
