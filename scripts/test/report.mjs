/** What came of a run, file by file. */

export class Report {
  /** Files that have not ended yet. */
  #waiting
  #costs = {}
  #passed = 0
  #skipped = []
  /** Lines as a reader wants them last (file, test and assertion), each with its file, if it has one. */
  #failures = []
  /** Files that failed next to others and passed alone. */
  #flaky = []
  #failedFiles = new Set()
  #ended = 0

  /** @param {string[]} files */
  constructor(files) {
    this.#waiting = new Set(files)
  }

  /** What a lane tells: see lane.mjs. */
  hear = ({ ended, passed, ms, cpuMs, skipped, failed, diag, shown }) => {
    if (shown !== undefined) console.log(shown)
    if (skipped !== undefined) this.#skipped.push(nameOf(skipped))
    if (failed !== undefined) this.#fail(fileOf(failed), nameOf(failed), diag)
    if (ended === undefined) return
    this.#waiting.delete(ended)
    this.#costs[ended] = ms
    this.#passed += passed
    this.#ended++
    console.log(
      `${this.#failedFiles.has(ended) ? 'not ok' : 'ok'} ${ended} # ${passed} passed, ${ms} ms, ${cpuMs} of them computing`,
    )
  }

  /** A lane is over: files of it that did not end have failed. */
  end(lane, { code, signal, output, orphans }) {
    const [cut, ...unseen] = lane.filter((file) => this.#waiting.has(file))
    if (cut !== undefined) {
      this.#fail(cut, `${cut}: the process ended in it, ${signal ?? `with code ${code}`}`)
      for (const file of unseen) this.#fail(file, `${file}: was not run, as ${cut} ended the process`)
      process.stdout.write(output.slice(-4_000))
    } else if (code !== 0 && !lane.some((file) => this.#failedFiles.has(file))) {
      this.#failures.push({ line: `a lane ended with code ${code}, signal ${signal}: ${lane.join(' ')}` })
      process.stdout.write(output.slice(-4_000))
    }
    for (const command of orphans) {
      this.#failures.push({ line: `left running by one of ${lane.join(' ')}: ${command}` })
    }
  }

  failedFiles() {
    return [...this.#failedFiles]
  }

  /** The file passes when it runs alone: its failures don't count, and `print` names it. @param {string} file */
  forgive(file) {
    this.#flaky.push(file)
    this.#failures = this.#failures.filter((failure) => failure.file !== file)
  }

  costs() {
    return this.#costs
  }

  isGood() {
    return this.#failures.length === 0
  }

  print({ lanes, wallSeconds, cpuSeconds }) {
    for (const name of this.#skipped) console.log(`skipped: ${name}`)
    const cpu = cpuSeconds === null ? '' : `, ${cpuSeconds.toFixed(0)} s of processor time`
    console.log(`\n${this.#ended} files in ${lanes} processes, ${wallSeconds.toFixed(0)} s${cpu}`)
    const skipped = this.#skipped.length > 0 ? `, ${this.#skipped.length} skipped` : ''
    console.log(`${this.#passed} passed, ${this.#failures.length} failed${skipped}`)
    for (const file of this.#flaky) console.log(`flaky: ${file} failed next to others and passed alone`)
    for (const { line } of this.#failures) console.log(line)
  }

  #fail(file, line, diag) {
    this.#failedFiles.add(file)
    const at = diag?.at?.lineNumber === undefined ? '' : ` (${diag.at.fileName}:${diag.at.lineNumber})`
    // Of `fetch failed`, say, the message alone tells nothing.
    const cause = diag?.cause?.message === undefined ? '' : `, because: ${diag.cause.message}`
    this.#failures.push({ file, line: `not ok: ${line}${cause}${at}` })
    console.log(`not ok: ${line}${cause}${at}`)
    if (diag?.diff !== undefined) console.log(diag.diff)
  }
}

/** @param {string} fullname  `TAP > FILE > TEST > …` */
const fileOf = (fullname) => fullname.split(' > ')[1] ?? fullname

/** Without the name of the process's own test. @param {string} fullname */
const nameOf = (fullname) => fullname.replace(/^TAP > /, '')
