/** Controls of forms. */
import type { ComponentChildren, JSX } from 'preact'

/** A button that submits no form. */
export const Button = (props: JSX.IntrinsicElements['button']) => <button {...props} type="button" />

type TextProps = Omit<JSX.IntrinsicElements['input'], 'onInput'> & {
  readonly onInput: (text: string) => void
}

/** A field for what is pasted: nothing corrects it or fills it in. */
export const TextField = ({ onInput, ...more }: TextProps) => (
  <input
    {...more}
    spellcheck={false}
    autocomplete="off"
    onInput={({ currentTarget }) => onInput(currentTarget.value)}
  />
)

interface SelectProps {
  /** For screen readers, if nothing around it labels it. */
  readonly label?: string
  readonly value: string
  readonly options: readonly (readonly [value: string, text: string, isDisabled?: boolean])[]
  readonly onChange: (value: string) => void
}

export const Select = ({ label, value, options, onChange }: SelectProps) => (
  <select aria-label={label} value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
    {options.map(([one, text, isDisabled]) => (
      <option key={one} value={one} disabled={isDisabled}>
        {text}
      </option>
    ))}
  </select>
)

interface CheckboxProps {
  readonly class?: string
  readonly checked: boolean
  readonly onChange: (isChecked: boolean) => void
  /** The label's text. */
  readonly children: ComponentChildren
}

export const Checkbox = ({ class: name = '', checked, onChange, children }: CheckboxProps) => (
  <label class={`check ${name}`}>
    <input
      type="checkbox"
      checked={checked}
      onChange={({ currentTarget }) => onChange(currentTarget.checked)}
    />
    {children}
  </label>
)
