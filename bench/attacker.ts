/**
 * The attacker of a siege in a process of its own, so that what it reads takes none of the
 * bystanders' time: `node dist/bench/attacker.js <siege> <url>` prints a line when it has
 * all its answers, and after a line on stdin its answers by status.
 */
import { once } from 'node:events'
import { begin, SIEGES } from './sieges.ts'

const [, , name, url] = process.argv
const attack = begin(url!, SIEGES.find((siege) => siege.name === name)!.attack)
void attack.answered.then(() => console.log('answered'))
await once(process.stdin, 'data')
const got = await attack.end()
console.log(JSON.stringify([...got]))
process.exit(0)
