/** All families, in the order in which a run tries them. */
import { ACCIDENTS } from './accidents.ts'
import type { Family } from './family.ts'
import { LENGTHS } from './lengths.ts'
import { LIMITS } from './limits.ts'
import { REPEATED } from './repeated.ts'
import { STRUCTURE } from './structure.ts'
import { VERSION_1 } from './version1.ts'

export const FAMILIES: readonly Family[] = [
  ...STRUCTURE,
  ...LENGTHS,
  ...LIMITS,
  ...REPEATED,
  ...VERSION_1,
  ...ACCIDENTS,
]
