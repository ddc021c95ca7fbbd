/**
 * The attacker of a siege in a process of its own, so that what it reads takes none of the
 * bystanders' time: `node dist/bench/attacker.js <siege> <url>` prints a line when it is
 * ready, begins after one on stdin, prints one when it has all its answers, and after a
 * second one on stdin its answers by status.
 */
import { once } from 'node:events'
import { begin, SIEGES } from './load/sieges.ts'

const [, , name, url] = process.argv
const siege = SIEGES.find((each) => each.name === name)!
console.log('ready')
await once(process.stdin, 'data')
const attack = begin(url!, siege.attack)
void attack.answered.then(() => console.log('answered'))
await once(process.stdin, 'data')
const got = await attack.end()
console.log(JSON.stringify([...got]))
process.exit(0)
