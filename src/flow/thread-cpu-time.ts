/**
 * The processor time that this thread has had. The rest of the elapsed time went to others: other processes,
 * other containers, or nobody, if a quota throttles this one.
 */
import { closeSync, openSync, readSync } from 'node:fs'

/** On Linux: the thread's time on a processor in ns, its time in the queue for one, and how often it ran. */
const SCHEDSTAT = '/proc/thread-self/schedstat'
const DIGIT_0 = 48

/** What Node.js offers for it; tests pass the parts that their platform lacks. */
export interface CpuUsageSource {
  cpuUsage(): NodeJS.CpuUsage
  /** Node.js 22.19, 23.9 and later. */
  threadCpuUsage?: () => NodeJS.CpuUsage
}

export interface ThreadCpuTime {
  /** Processor time since the thread began, ms. Up to a tick of the kernel old. */
  cpuMs(): number
  close(): void
}

/**
 * Takes the first that the platform has of:
 *
 * 1. `process.threadCpuUsage`;
 * 2. the kernel's account of the thread, on Linux: one read of an open file, a microsecond;
 * 3. the processor time of the whole process, which is at least the thread's.
 */
export function openThreadCpuTime(source: CpuUsageSource = process, schedstat = SCHEDSTAT): ThreadCpuTime {
  const { threadCpuUsage } = source
  if (threadCpuUsage !== undefined) {
    return { cpuMs: () => inMs(threadCpuUsage.call(source)), close() {} }
  }
  return openSchedstat(schedstat) ?? { cpuMs: () => inMs(source.cpuUsage()), close() {} }
}

function inMs({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1e3
}

/** Null if the kernel has no such file, or does not count: then it shows 0. */
function openSchedstat(path: string): ThreadCpuTime | null {
  let file: number
  try {
    file = openSync(path, 'r')
  } catch {
    return null
  }
  const bytes = Buffer.alloc(20)
  const cpuMs = (): number => {
    const length = readSync(file, bytes, 0, bytes.length, 0)
    let ns = 0
    for (let i = 0; i < length && bytes[i]! >= DIGIT_0; i++) ns = ns * 10 + bytes[i]! - DIGIT_0
    return ns / 1e6
  }
  const close = (): void => closeSync(file)
  if (cpuMs() > 0) return { cpuMs, close }
  close()
  return null
}
