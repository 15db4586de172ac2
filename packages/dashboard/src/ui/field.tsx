import { type ReactNode, useId } from 'react'

const INPUT_CLASS = 'mt-1 min-h-9 w-full rounded-md border border-soft bg-surface px-2'

/** A labelled part of a form; the child gets the id of the label's control. */
function Field({ label, children }: { label: string; children: (id: string) => ReactNode }) {
  const id = useId()
  return (
    <div className="min-w-0 grow basis-60">
      <label htmlFor={id}>{label}</label>
      {children(id)}
    </div>
  )
}

interface TextFieldProps {
  label: string
  value: string
  onChange: (value: string) => void
  type?: 'text' | 'email' | 'url' | 'password'
  maxLength?: number
  isOptional?: boolean
  /** Whether it gets the focus when it appears. */
  isFirst?: boolean
}

export function TextField({
  label,
  value,
  onChange,
  type = 'text',
  maxLength,
  isOptional = false,
  isFirst = false,
}: TextFieldProps) {
  return (
    <Field label={label}>
      {(id) => (
        <input
          id={id}
          type={type}
          autoComplete={type === 'password' ? 'off' : undefined}
          autoFocus={isFirst}
          required={!isOptional}
          maxLength={maxLength}
          value={value}
          onChange={({ target }) => onChange(target.value)}
          className={INPUT_CLASS}
        />
      )}
    </Field>
  )
}

interface NumberFieldProps {
  label: string
  /** NaN for none. */
  value: number
  onChange: (value: number) => void
  min: number
  max: number
  step?: number | 'any'
  isRequired?: boolean
}

export function NumberField({ label, value, onChange, isRequired = false, ...range }: NumberFieldProps) {
  return (
    <Field label={label}>
      {(id) => (
        <input
          id={id}
          type="number"
          {...range}
          required={isRequired}
          value={Number.isNaN(value) ? '' : value}
          onChange={({ target }) => onChange(target.valueAsNumber)}
          className={INPUT_CLASS}
        />
      )}
    </Field>
  )
}

interface SelectFieldProps<Value extends string> {
  label: string
  value: Value
  options: readonly { value: Value; text: string }[]
  onChange: (value: Value) => void
  isOptional?: boolean
  /** Whether it gets the focus when it appears. */
  isFirst?: boolean
}

export function SelectField<Value extends string>({
  label,
  value,
  options,
  onChange,
  isOptional = false,
  isFirst = false,
}: SelectFieldProps<Value>) {
  return (
    <Field label={label}>
      {(id) => (
        <select
          id={id}
          autoFocus={isFirst}
          required={!isOptional}
          value={value}
          onChange={({ target }) => onChange(target.value as Value)}
          className={INPUT_CLASS}
        >
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.text}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

interface CheckboxFieldProps {
  label: string
  value: boolean
  onChange: (isChecked: boolean) => void
}

export function CheckboxField({ label, value, onChange }: CheckboxFieldProps) {
  return (
    <label className="flex items-center gap-2">
      <input
        type="checkbox"
        className="size-4 accent-accent"
        checked={value}
        onChange={({ target }) => onChange(target.checked)}
      />
      {label}
    </label>
  )
}
