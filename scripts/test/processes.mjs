/** Processes as Linux's /proc shows them; elsewhere nothing is known of them. */
import { readdirSync, readFileSync } from 'node:fs'

const TICKS_PER_SECOND = 100

/** Of this process and of every descendant that has ended. @returns {number | null} */
export function cpuSeconds() {
  const stat = statOf('self')
  return stat && stat.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_PER_SECOND
}

/** The processes of a session, which is named by the process that began it. @param {number} session @returns {{ pid: number, command: string }[]} */
export function processesOf(session) {
  return pids()
    .filter((pid) => {
      const stat = statOf(pid)
      return stat !== null && Number(stat[3]) === session && stat[0] !== 'Z'
    })
    .map((pid) => ({ pid: Number(pid), command: commandOf(pid) }))
}

function pids() {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  } catch {
    return []
  }
}

/** The fields of proc(5)'s stat from the third, the state, on: the second may have spaces. */
function statOf(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return text.slice(text.lastIndexOf(')') + 2).split(' ')
  } catch {
    return null
  }
}

function commandOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
  } catch {
    return '?'
  }
}
