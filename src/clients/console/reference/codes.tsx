/** Codes of errors, each with its status and its meaning. */
import type { ErrorCode } from './document.ts'
import { Text } from './text.tsx'

type CodesProps = { readonly codes: readonly ErrorCode[]; readonly current?: string }

/** @param current  the code that is looked up, in the list that links lead to */
export const Codes = ({ codes, current }: CodesProps) =>
  codes.map(({ code, status, meaning }) => (
    <div key={code} id={current && `error-${code}`} class={`field ${code === current ? 'current' : ''}`}>
      <p class="row">
        <a href={`#error-${code}`}>{code}</a>
        <span class="type">{status}</span>
      </p>
      <Text text={meaning} />
    </div>
  ))
