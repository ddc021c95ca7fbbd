import { join } from 'node:path'
import t, { type Test } from 'tap'
import { type CpuUsageSource, openThreadCpuTime } from '../../src/flow/thread-cpu-time.ts'

/** As on Node.js 20, where only the process has an account: ten seconds of it. */
const WITHOUT_THREADS: CpuUsageSource = { cpuUsage: () => ({ user: 9_000_000, system: 1_000_000 }) }

const schedstat = (t: Test, text: string) => join(t.testdir({ schedstat: text }), 'schedstat')

t.test('the thread’s own account comes first', async (t) => {
  const source = { ...WITHOUT_THREADS, threadCpuUsage: () => ({ user: 1_500, system: 250 }) }
  t.equal(openThreadCpuTime(source, schedstat(t, '2000000000 5 6\n')).cpuMs(), 1.75)
})

t.test('the kernel’s account of the thread comes second', async (t) => {
  const time = openThreadCpuTime(WITHOUT_THREADS, schedstat(t, '98765432109876 5 6\n'))
  t.equal(time.cpuMs(), 98_765_432.109876)
  time.close()
})

t.test('the process’s account is the last', async (t) => {
  t.equal(openThreadCpuTime(WITHOUT_THREADS, '/proc/none/such').cpuMs(), 10_000, 'no file')
  t.equal(
    openThreadCpuTime(WITHOUT_THREADS, schedstat(t, '0 0 0\n')).cpuMs(),
    10_000,
    'a kernel that does not count',
  )
})

t.test('it passes while the thread works', async (t) => {
  for (const source of [process, { cpuUsage: process.cpuUsage }]) {
    const time = openThreadCpuTime(source)
    t.teardown(() => time.close())
    const before = time.cpuMs()
    // Ends by itself if the time stands still.
    for (let i = 0; i < 1e9 && time.cpuMs() - before < 50; i++);
    const passedMs = time.cpuMs() - before
    t.ok(passedMs >= 50 && passedMs < 500, `${passedMs} ms`)
  }
})
