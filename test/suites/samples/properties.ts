/** The properties with all samples that they name, of which `npm test` tries a quarter. */
import { readFileSync } from 'node:fs'
import { runFiles, testFiles } from '../../fixtures/suite.ts'

const text = (file: string): string => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')

await runFiles(
  testFiles().filter((file) => !file.startsWith('long/') && text(file).includes("/fixtures/fast-check.ts'")),
)
