/** What those have in common who are asked for quotes only, to compare others with. */
import { refuseMaterial } from '../../proof/verification.ts'
import type { SwapProvider } from '../provider.ts'

/** @param name  as people know the provider */
export function secondOpinion(name: string): Pick<SwapProvider, 'canBuild' | 'freshMs' | 'build' | 'prove'> {
  return {
    canBuild: false,
    freshMs: 0,
    build() {
      throw new TypeError(`${name} is asked for quotes only.`)
    },
    prove() {
      throw refuseMaterial('kind')
    },
  }
}
