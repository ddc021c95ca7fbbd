import type { ComponentChildren } from 'preact'

interface CheckboxProps {
  readonly class?: string
  readonly checked: boolean
  readonly onChange: (isChecked: boolean) => void
  /** The label's text. */
  readonly children: ComponentChildren
}

export function Checkbox({ class: name = '', checked, onChange, children }: CheckboxProps) {
  return (
    <label class={`check ${name}`}>
      <input
        type="checkbox"
        checked={checked}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
      {children}
    </label>
  )
}
