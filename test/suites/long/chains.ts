import { runSuite } from '../../fixtures/suite.ts'

await runSuite(import.meta.url)
